import BellhopModel
import BellhopNetwork

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A check whether other users of this machine could replace one of the user's folders.
///
/// They can do so below a folder that every user may write to, such as `/tmp`: another user may
/// have made a part of the path first, and may replace it at any time.
package enum FolderSafety {
  /// A part of a path that another user may replace, and the fix.
  package struct UnsafeFolderError: ExplainedError, Hashable {
    package let path: String
    package let kind: Kind

    package enum Kind: Hashable, Sendable {
      /// It is in a shared folder and belongs to another user.
      case foreign
      /// It is in a shared folder, and other users may write to it.
      case writable
      /// Every user may rename its contents, because it has no sticky bit.
      case notSticky
    }

    package var description: String {
      switch kind {
      case .foreign: "\(path) belongs to another user."
      case .writable: "Other users may write to \(path)."
      case .notSticky: "Every user may replace the folders in \(path)."
      }
    }

    /// The step that makes the path safe.
    package var fix: String {
      switch kind {
      case .foreign: "Have \(path) removed, or set XDG_RUNTIME_DIR to a folder that you own."
      case .writable: "Run: chmod 700 \(path)"
      case .notSticky: "Run as root: chmod +t \(path)"
      }
    }
  }

  /// Checks each existing part of an absolute path.
  ///
  /// Links are followed if the user or root made them.
  /// - Parameters:
  ///   - path: The path. Missing parts are not checked, because the user makes them.
  ///   - user: The user who should own the folder.
  /// - Returns: The first risk from the root; nil for none.
  package static func risk(in path: String, user: UInt32 = geteuid()) -> UnsafeFolderError? {
    var parent = ""
    for part in path.split(separator: "/") {
      let here = parent + "/" + part
      var above = stat()
      var status = stat()
      guard stat(parent.isEmpty ? "/" : parent, &above) == 0, lstat(here, &status) == 0 else {
        return nil
      }
      if above.st_mode & 0o002 != 0 {
        guard above.st_mode & mode_t(S_ISVTX) != 0 else {
          return UnsafeFolderError(path: parent.isEmpty ? "/" : parent, kind: .notSticky)
        }
        guard status.st_uid == user || status.st_uid == 0 else {
          return UnsafeFolderError(path: here, kind: .foreign)
        }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        guard !isFolder || status.st_uid != user || status.st_mode & 0o022 == 0 else {
          return UnsafeFolderError(path: here, kind: .writable)
        }
      }
      parent = here
    }
    return nil
  }

  /// Checks the path to the socket of a store, if its address is that of a socket.
  ///
  /// Another user who may replace a part of the path could listen there, and would receive the
  /// token (SECURITY-4).
  ///
  /// - Parameter url: The address of a store.
  /// - Returns: The socket and the first risk; nil without a risk, and for an address with a host.
  package static func risk(ofStoreAt url: String) -> (socket: String, risk: UnsafeFolderError)? {
    guard case .socket(let path)? = NetworkPeer(url: url), let risk = risk(in: path) else {
      return nil
    }
    return (path, risk)
  }
}
