/// Work on the file of an attachment.
package enum AttachmentEffect: Hashable, Sendable {
  /// Fetches a file from the item's own store; may take long.
  ///
  /// Reports ``AttachmentProgress/fetchMoved(serial:received:total:)`` from time to time, and
  /// ``AttachmentProgress/fetchEnded(serial:_:)`` at the end.
  case fetch(AttachmentOrder)
  /// Stops fetching, and removes the partial file.
  case cancelFetch(serial: Int)
  /// Renders a picture; may take long.
  ///
  /// Answered by ``AttachmentProgress/pictureDrawn(serial:_:)``.
  case drawPicture(PictureOrder)
  case cancelPicture(serial: Int)
}

/// Progress or outcome of an ``AttachmentEffect``.
package enum AttachmentProgress: Sendable {
  /// The bytes received of a file; the total as reported by the store.
  case fetchMoved(serial: Int, received: Int, total: Int?)
  case fetchEnded(serial: Int, AttachmentOutcome)
  case pictureDrawn(serial: Int, PictureOutcome)
}

extension InboxState {
  mutating func take(_ progress: AttachmentProgress) {
    switch progress {
    case .fetchMoved(let serial, let received, let total):
      acceptFetch(serial: serial, received: received, total: total)
    case .fetchEnded(let serial, let outcome): endFetch(serial: serial, outcome)
    case .pictureDrawn(let serial, let outcome): acceptPicture(outcome, serial: serial)
    }
  }
}
