internal import BellhopClient
internal import BellhopModel
internal import Glibc

/// The folders in which attachments are saved and opened.
struct AttachmentFolders {
  private let context: ClientContext

  init(_ context: ClientContext) { self.context = context }

  /// Returns the folder for attachments that the user saves.
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

  /// The time for which an opened file is kept, because the desktop's program may still need it.
  static let openedKept = Duration.seconds(86_400)

  /// Returns the folder for attachments that are only opened, and removes old files from it.
  ///
  /// The folder belongs to the account and is removed with it. Files opened longer ago than
  /// ``openedKept`` are removed.
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
