internal import Crypto
internal import NIOCore
internal import Synchronization

/// The OpenAPI description as the store serves it: written at the first request, then kept.
///
/// It needs no token, so a request must not cost more than sending the text.
final class ServedDescription: Sendable {
  struct Text: Sendable {
    let body: ByteBuffer
    /// The tag in quotes, as in `ETag`.
    let entityTag: String
  }

  private struct State {
    var text: Text?
    var writings = 0
  }

  private let state = Mutex(State())
  private let write: @Sendable () -> [UInt8]

  /// - Parameter write: Returns the text; called once.
  init(_ write: @escaping @Sendable () -> [UInt8]) {
    self.write = write
  }

  /// The number of times that the text was written.
  var writings: Int { state.withLock(\.writings) }

  /// The text with its tag, which only changes with the text.
  var text: Text {
    state.withLock { state in
      if let text = state.text { return text }
      let bytes = write()
      let digits = Array("0123456789abcdef")
      let tag = SHA256.hash(data: bytes).prefix(16).flatMap {
        [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
      }
      let text = Text(body: ByteBuffer(bytes: bytes), entityTag: "\"\(String(tag))\"")
      state = State(text: text, writings: state.writings + 1)
      return text
    }
  }
}
