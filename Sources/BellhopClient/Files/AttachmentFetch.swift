internal import BellhopInbox
internal import BellhopModel
package import BellhopSync
internal import Synchronization

/// Downloads of files from the account's own store only, with the account's token.
package enum AttachmentFetch {
  /// Downloads the file with this id and writes it as it arrives.
  ///
  /// - Parameter moved: Called now and then with the bytes received and the total number of bytes.
  /// - Throws: ``ClientError`` or `TransportError`. The file is then removed.
  package static func fetch(
    _ id: String, from transport: HTTPTransport, bytesMax: Int, to file: NewFile,
    moved: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void = { _, _ in }
  ) async throws {
    let progress = Mutex(FetchProgress())
    do {
      try await transport.readFile(id: id, bytesMax: bytesMax) { part in
        if case .bytes(let bytes) = part { try file.write(bytes) }
        let told = progress.withLock { $0.take(part) }
        if let told { moved(told.received, told.total) }
      }
      try Task.checkCancellation()
      try file.finish()
    } catch {
      file.discard()
      throw error
    }
  }

  /// Describes a failure for the user.
  package static func words(_ error: any Error) -> String {
    switch error {
    case TransportError.server(404, _), TransportError.server(410, _):
      "it is no longer in the store."
    case let error as TransportError where error == .fileTooLarge:
      "it is larger than announced. The partial file was removed."
    case let error as TransportError: "\(error). The partial file was removed."
    default: error.explanation  // open: any Error
    }
  }

  package static func isCancelled(_ error: any Error) -> Bool {
    if error is CancellationError { return true }
    if case TransportError.cancelled = error { return true }
    return false
  }
}

/// The progress of a transfer, reported in steps that the user can notice.
struct FetchProgress {
  private var received = 0
  private var total: Int?
  private var told = 0

  /// The smallest step to report; for large files, it is a hundredth of the size.
  private static let stepBytes = 128 << 10

  mutating func take(_ part: FilePart) -> (received: Int, total: Int?)? {
    switch part {
    case .length(let length): total = length
    case .bytes(let bytes):
      received += bytes.count
      guard received - told >= max(Self.stepBytes, (total ?? 0) / 100) else { return nil }
    }
    told = received
    return (received, total)
  }
}
