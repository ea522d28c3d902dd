package import BellhopModel
internal import BellhopSync
internal import Glibc

/// The locations of files, by the XDG Base Directory Specification 0.8.
///
/// Two sets of XDG variables are two devices, even on one machine.
package struct Directories: Sendable, Hashable {
  /// The folder of files that the user edits: `$XDG_CONFIG_HOME/bellhop`.
  package let config: String
  /// The folder of accounts and their caches: `$XDG_STATE_HOME/bellhop`.
  package let state: String
  /// The folder of the private store: `$XDG_DATA_HOME/bellhop/store`.
  package let store: String
  /// The folder of sockets, which the system empties at log-out.
  package let runtime: String

  /// Derives the directories from these variables.
  ///
  /// - Throws: ``ClientError`` if neither `HOME` nor the variables name a location.
  package init(environment: [String: String], userID: UInt32) throws {
    func home(_ variable: String, _ fallback: String) throws -> String {
      // The specification says that a relative path is invalid and ignored.
      if let path = environment[variable], path.hasPrefix("/") { return path }
      guard let home = environment["HOME"], home.hasPrefix("/") else {
        throw ClientError(
          .configuration, "HOME is not set, so bellhop has no place for its files.",
          next: "Set HOME, or \(variable), to a directory that you own.")
      }
      return home + "/" + fallback
    }
    config = try home("XDG_CONFIG_HOME", ".config") + "/bellhop"
    state = try home("XDG_STATE_HOME", ".local/state") + "/bellhop"
    store = try home("XDG_DATA_HOME", ".local/share") + "/bellhop/store"
    let base: String
    if let path = environment["XDG_RUNTIME_DIR"], path.hasPrefix("/") {
      base = path + "/bellhop"
    } else {
      base = "/tmp/bellhop-\(userID)"
    }
    // Devices that share a runtime directory must not receive each other's nudges.
    runtime = base + "/" + Self.fingerprint(state)
  }

  /// Places all directories under `root`, for a temporary device.
  package init(root: String) {
    config = root + "/config"
    state = root + "/state"
    store = root + "/store"
    runtime = root + "/run"
  }

  /// Returns the folder of an account's token, cache and lock.
  package func account(_ name: AccountName) -> String { state + "/accounts/" + name.rawValue }

  /// Creates a directory and its parents, readable by the owner only.
  ///
  /// - Throws: ``ClientError`` with the system's reason, if the directory belongs to another user,
  ///   or if another user may replace a part of the path, such as `/tmp/bellhop-UID`.
  package static func make(_ path: String) throws {
    try checkSafety(of: path)
    var prefix = ""
    for part in path.split(separator: "/") {
      prefix += "/" + part
      if mkdir(prefix, 0o700) != 0, errno != EEXIST {
        let reason = errno
        var status = stat()
        if stat(prefix, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { continue }
        throw ClientError(
          .cannotCreate, "Cannot create the directory \(prefix): \(systemMessage(reason)).",
          next:
            "Nothing was changed. Move the file at that path, or choose another with the XDG "
            + "variables."
        )
      }
    }
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == geteuid()
    else {
      throw ClientError(
        .notAllowed, "\(path) is not a directory that you own.",
        next: "Nothing was changed. Move it, or choose another directory with the XDG variables.")
    }
    // Another user may have created the missing folder in the meantime.
    try checkSafety(of: path)
  }

  /// Checks the socket path of a store, as `FolderSafety.risk(ofStoreAt:)` does.
  ///
  /// - Throws: ``ClientError`` if another user could listen there.
  package static func checkSafety(ofStoreAt url: String) throws {
    guard let (socket, risk) = FolderSafety.risk(ofStoreAt: url) else { return }
    throw unsafe(socket, risk)
  }

  /// Checks that no other user may replace a part of the path.
  ///
  /// - Throws: ``ClientError``.
  package static func checkSafety(of path: String) throws {
    guard let risk = FolderSafety.risk(in: path) else { return }
    throw unsafe(path, risk)
  }

  private static func unsafe(_ path: String, _ risk: FolderSafety.UnsafeFolderError) -> ClientError
  {
    ClientError(
      .notAllowed, "\(path) is not safe to use. \(risk)", next: "Nothing was changed. \(risk.fix)")
  }

  /// Returns twelve hexadecimal digits of FNV-1a: short enough for a socket path, and stable.
  private static func fingerprint(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash >> 16, radix: 16)
  }
}

/// Returns the system's message for an error number.
package func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
