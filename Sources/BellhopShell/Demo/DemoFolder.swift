internal import BellhopClient
internal import BellhopSync
internal import FoundationEssentials
internal import Glibc

/// The temporary folder of a demo. The next demo removes the folders of killed ones.
struct DemoFolder {
  let path: String
  /// A lock that the process holds while the demo runs, however it ends.
  private let lock: EngineLock

  private static let parent = "/tmp"
  private static let prefix = "bellhop-demo-"

  /// Creates a folder that no other user can read.
  ///
  /// - Throws: `ClientError` with the system's reason.
  init() throws {
    var template = Array("\(Self.parent)/\(Self.prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ClientError(.cannotCreate, "Cannot make a folder in /tmp: \(systemMessage(errno)).")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    lock = EngineLock(path: Self.lockPath(path))
    // Without the lock, the folder is never swept, which does the demo no harm.
    _ = try? lock.tryLock()
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Removes the user's folders of demos that ended without removing them.
  static func sweep() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = "\(parent)/\(name)"
      var status = stat()
      // A folder that is just being created has no lock yet.
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
        status.st_uid == geteuid(), access(lockPath(path), F_OK) == 0
      else { continue }
      let lock = EngineLock(path: lockPath(path))
      guard (try? lock.tryLock()) == true else { continue }
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  private static func lockPath(_ folder: String) -> String { folder + "/demo.lock" }
}
