internal import BellhopInbox
internal import BellhopModel
internal import BellhopSync
internal import Glibc
internal import Synchronization

/// Fetches files of the account's own store; with its token, and from nowhere else.
enum AttachmentFetch {
  /// Writes the file of an id as it comes.
  ///
  /// - Parameter moved: told of the bytes that are there, and of how many there will be, now and then.
  /// - Throws: ``ClientError`` or `TransportError`; nothing is left of the file then.
  static func fetch(
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

  /// What went wrong, for a person.
  static func words(_ error: any Error) -> String {
    switch error {
    case TransportError.server(404, _), TransportError.server(410, _):
      "it is no longer in the store."
    case let error as TransportError where error == .fileTooLarge:
      "it is larger than was said. Nothing is left of it."
    case let error as TransportError: "\(error). Nothing is left of it."
    default: error.explanation  // open: any Error
    }
  }

  static func isCancelled(_ error: any Error) -> Bool {
    if error is CancellationError { return true }
    if case TransportError.cancelled = error { return true }
    return false
  }
}

/// How far a transfer is, told in steps that a person sees.
struct FetchProgress {
  private var received = 0
  private var total: Int?
  private var told = 0

  /// No more often than for each of these, or for each hundredth.
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

/// Where files go.
struct AttachmentFolders {
  private let context: ClientContext

  init(_ context: ClientContext) { self.context = context }

  /// What the person saves.
  func downloads() throws -> String {
    if let folder = context.configuration.downloads { return folder }
    let environment = context.environment
    if let path = environment["XDG_DOWNLOAD_DIR"], path.hasPrefix("/") { return path }
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw ClientError(
        .configuration, "HOME is not set, so there is no folder for downloads.",
        next: "Set downloads in config.toml.")
    }
    return home + "/Downloads"
  }

  /// How long the desktop's program may want a file that was opened.
  static let openedKept = Duration.seconds(86_400)

  /// What is only opened: under the account, so that it goes when the account does. What was opened
  /// longer ago than ``openedKept`` is removed.
  func opened(of account: AccountName) throws -> String {
    let folder = context.directories.account(account) + "/attachments"
    try Directories.make(folder)
    let before = context.now().advanced(by: .zero - Self.openedKept)
    for name in Self.names(in: folder) {
      var status = stat()
      guard lstat(folder + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        Timestamp(seconds: Int64(status.st_mtim.tv_sec)) < before
      else { continue }
      unlink(folder + "/" + name)
    }
    return folder
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      names.append(name)
    }
    return names
  }
}
