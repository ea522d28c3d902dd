internal import BellhopStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The owner of the files in a store's data directory.
///
/// A command that root runs assigns the files it creates there to the owner of the directory.
/// Otherwise the store's service, which runs as that user, could not open them. SQLite does the
/// same for the log beside a database, which gets the database's owner.
package struct DataOwner: Sendable {
  /// The numeric ids of a user and a group.
  package struct Identity: Hashable, Sendable {
    package var user: UInt32
    package var group: UInt32

    package init(user: UInt32, group: UInt32) {
      self.user = user
      self.group = group
    }
  }

  /// The system calls that decide; tests can replace them.
  package struct System: Sendable {
    /// Returns the effective user of this process.
    package var user: @Sendable () -> UInt32
    /// Returns the owner of a directory; nil if it does not exist.
    package var owner: @Sendable (_ directory: String) -> Identity?
    /// Changes the owner of an open file; returns 0, or -1 with `errno`.
    package var give: @Sendable (_ descriptor: Int32, _ identity: Identity) -> Int32

    package init(
      user: @escaping @Sendable () -> UInt32,
      owner: @escaping @Sendable (_ directory: String) -> Identity?,
      give: @escaping @Sendable (_ descriptor: Int32, _ identity: Identity) -> Int32
    ) {
      self.user = user
      self.owner = owner
      self.give = give
    }

    package static let live = System(
      user: { geteuid() },
      owner: { directory in
        var status = stat()
        guard stat(directory, &status) == 0 else { return nil }
        return Identity(user: status.st_uid, group: status.st_gid)
      },
      give: { fchown($0, $1.user, $1.group) })
  }

  /// The process's own user: created files keep their owner.
  package static let process = DataOwner(identity: nil, give: System.live.give)

  /// The owner to assign; nil if files stay with the user of this process.
  private let identity: Identity?
  private let give: @Sendable (Int32, Identity) -> Int32

  private init(identity: Identity?, give: @escaping @Sendable (Int32, Identity) -> Int32) {
    self.identity = identity
    self.give = give
  }

  /// Creates the owner for the files of a data directory.
  ///
  /// It is the directory's owner if this process runs as root and the directory belongs to another
  /// user; otherwise it is the process's own user.
  package init(of directory: String, system: System = .live) {
    let owner = system.user() == 0 ? system.owner(directory) : nil
    self.init(identity: owner.flatMap { $0.user == 0 ? nil : $0 }, give: system.give)
  }

  /// Whether files are assigned to another user.
  var isOther: Bool { identity != nil }

  /// Whether the user with this number is the owner or the user of this process.
  func has(_ user: UInt32) -> Bool { user == geteuid() || user == identity?.user }

  /// Assigns an open file or directory to the owner, if it belongs to the user of this process.
  ///
  /// A file with several names is left unchanged: another name may be outside the directory.
  ///
  /// - Throws: `StoreError.unavailable(reason:)`.
  package func adopt(_ descriptor: Int32, _ path: String) throws {
    guard let identity else { return }
    var status = stat()
    try Disk.check(fstat(descriptor, &status), "read", path)
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    guard status.st_uid == geteuid(), isDirectory || status.st_nlink == 1 else { return }
    try Disk.check(give(descriptor, identity), "given to the owner of the data directory", path)
  }

  /// Assigns a file to the owner if it exists. Links are not followed.
  func adoptIfThere(_ path: String) throws {
    guard identity != nil else { return }
    let descriptor = Disk.open(path, O_RDONLY | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    try adopt(descriptor, path)
  }
}
