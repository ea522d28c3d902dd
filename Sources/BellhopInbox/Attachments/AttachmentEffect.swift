/// Work on the file of an attachment.
public enum AttachmentEffect: Hashable, Sendable {
  /// Fetch a file from the item's own store, saying ``Message/fetchMoved(serial:received:total:)``
  /// now and then and ``Message/fetchEnded(serial:_:)`` at the end; that may take its time.
  case fetch(AttachmentOrder)
  /// Stop fetching, and leave nothing of the file.
  case cancelFetch(serial: Int)
  /// Have a picture drawn, then say ``Message/pictureDrawn(serial:_:)``; that may take its time.
  case drawPicture(PictureOrder)
  case cancelPicture(serial: Int)
}
