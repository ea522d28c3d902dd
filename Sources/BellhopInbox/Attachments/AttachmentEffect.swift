/// Work on the file of an attachment.
package enum AttachmentEffect: Hashable, Sendable {
  /// Fetch a file from the item's own store, saying ``AttachmentProgress/fetchMoved(serial:received:total:)``
  /// now and then and ``AttachmentProgress/fetchEnded(serial:_:)`` at the end; that may take its time.
  case fetch(AttachmentOrder)
  /// Stop fetching, and leave nothing of the file.
  case cancelFetch(serial: Int)
  /// Have a picture drawn, then say ``AttachmentProgress/pictureDrawn(serial:_:)``; that may take its time.
  case drawPicture(PictureOrder)
  case cancelPicture(serial: Int)
}

/// News of an ``AttachmentEffect``.
package enum AttachmentProgress: Sendable {
  /// How far a file is; the total as the store says it.
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
