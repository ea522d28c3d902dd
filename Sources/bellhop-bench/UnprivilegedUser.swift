import Glibc

/// An unprivileged user to run a server that refuses to run as root, with a folder.
///
/// The user is our own, or a different one if we are root.
final class UnprivilegedUser {
  let folder: String
  let userName: String
  let groupName: String
  /// The prefix that makes a command run as the user.
  private var prefix: [String] = []
  private let workspace: Workspace

  /// Selects the user and creates the folder.
  ///
  /// - Parameter users: The candidates if we are root; the first one that exists on this machine is
  ///   used.
  /// - Throws: ``BenchError`` if there is no such user, or no folder for it on the workspace's
  ///   disk. Figures of a different disk would not be comparable.
  init(_ users: [String], _ name: String, _ workspace: Workspace) throws {
    self.workspace = workspace
    let isRoot = geteuid() == 0
    let found =
      isRoot ? users.lazy.compactMap { getpwnam($0) }.first : getpwuid(geteuid())
    guard let user = found?.pointee, user.pw_uid != 0, let group = getgrgid(user.pw_gid) else {
      throw BenchError("none of the users \(users.joined(separator: ", ")) exists to run it")
    }
    userName = String(cString: user.pw_name)
    groupName = String(cString: group.pointee.gr_name)
    guard isRoot else {
      folder = try workspace.scratch(name)
      return
    }
    let setpriv = try Files.installed("setpriv")
    prefix = [setpriv, "--reuid=\(user.pw_uid)", "--regid=\(user.pw_gid)", "--clear-groups", "--"]
    folder = try Self.folder(workspace)
    workspace.leftovers.add(folder)
    guard chown(folder, user.pw_uid, user.pw_gid) == 0 else {
      throw BenchError("\(folder) cannot be given to \(userName)")
    }
  }

  /// Returns the command with the prefix that runs it as the user.
  func command(_ path: String, _ arguments: [String]) -> [String] { prefix + [path] + arguments }

  /// Runs a command to completion as the user.
  @discardableResult
  func run(_ path: String, _ arguments: [String]) throws -> String {
    let words = command(path, arguments)
    return try Subprocess(path: words[0], arguments: Array(words[1...]), directory: folder).run()
  }

  /// Writes a file that the user can read.
  func write(_ text: String, to name: String) throws -> String {
    let path = folder + "/" + name
    try Files.write(text, to: path)
    chmod(path, 0o644)
    return path
  }

  func removeFolder() {
    Files.remove(folder)
    if !Files.exists(folder) { workspace.leftovers.forget(folder) }
  }

  /// Returns a new folder on the workspace's disk that other users can reach.
  private static func folder(_ workspace: Workspace) throws -> String {
    let device = information(workspace.root)?.st_dev
    for base in ["/var/tmp", "/tmp"] where information(base)?.st_dev == device {
      var path = Array("\(base)/bellhop-bench-XXXXXX".utf8CString)
      if mkdtemp(&path) != nil {
        return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    }
    throw BenchError("there is no suitable folder on the workspace's disk")
  }

  private static func information(_ path: String) -> stat? {
    var result = stat()
    return stat(path, &result) == 0 ? result : nil
  }
}
