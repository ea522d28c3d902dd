#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system calls for ``NudgeSocket``.
enum SocketFolder {
  typealias Failure = NudgeSocket.SocketError

  /// The longest path of a folder in which `/<pid>.<n>.sock` still fits into a socket's address.
  static let pathBytesMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 - 24
  /// The maximum number of sockets of one process in a folder.
  static let socketsPerProcessMax = 16

  /// Makes the folder, private to the user, or a short replacement if the path is too long.
  static func prepare(
    _ wanted: String, fallbackParent: String
  ) throws(Failure) -> String {
    guard wanted.utf8.count > pathBytesMax else {
      try checkSafety(of: wanted)
      try make(wanted, parents: true)
      try checkSafety(of: wanted)
      return wanted
    }
    let path = "\(fallbackParent)/bellhop-\(getuid())-\(hash(wanted))"
    guard path.utf8.count <= pathBytesMax else {
      throw Failure(path: wanted, code: ENAMETOOLONG)
    }
    try make(path, parents: false)
    try checkSafety(of: path)
    return path
  }

  /// Checks that no other user can replace the folder, and so receive the nudges.
  private static func checkSafety(of path: String) throws(Failure) {
    if let risk = FolderSafety.risk(in: path) {
      throw Failure(path: risk.path, code: EPERM, advice: "\(risk) \(risk.fix)")
    }
  }

  /// Makes `path` with mode 0700, or accepts an existing folder of this user.
  ///
  /// An existing folder must not be writable by every user. A replacement must be entirely private,
  /// because its name can be guessed.
  private static func make(_ path: String, parents: Bool) throws(Failure) {
    let status = try makeFolder(path, parents: parents)
    let others: mode_t = parents ? 0o002 : 0o077
    guard status.st_uid == geteuid(), status.st_mode & others == 0 else {
      throw Failure(path: path, code: EPERM)
    }
  }

  /// Makes the folder if it is missing. Its parents may belong to the system.
  @discardableResult
  private static func makeFolder(_ path: String, parents: Bool) throws(Failure) -> stat {
    if mkdir(path, 0o700) != 0 {
      let code = errno
      if code == ENOENT, parents, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
        try makeFolder(String(path[..<slash]), parents: true)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
          throw Failure(path: path, code: errno)
        }
      } else if code != EEXIST {
        throw Failure(path: path, code: code)
      }
    }
    var status = stat()
    guard lstat(path, &status) == 0 else { throw Failure(path: path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw Failure(path: path, code: ENOTDIR) }
    return status
  }

  /// Returns the FNV-1a hash, which needs no library.
  ///
  /// It only has to tell the folders of one user apart.
  static func hash(_ text: String) -> String {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(value, radix: 16)
  }

  static func socket(for path: String) throws(Failure) -> Int32 {
    #if canImport(Darwin)
      let descriptor = Darwin.socket(AF_UNIX, SOCK_DGRAM, 0)
    #elseif canImport(Musl)
      let descriptor = Musl.socket(AF_UNIX, Int32(SOCK_DGRAM), 0)
    #else
      let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #endif
    guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  /// Returns a socket of this process in `directory`, and its name.
  static func bind(in directory: String) throws(Failure) -> (Int32, String) {
    let descriptor = try socket(for: directory)
    var code: Int32 = EADDRINUSE
    for number in 0..<socketsPerProcessMax {
      let name = "\(getpid()).\(number).sock"
      let path = directory + "/" + name
      for _ in 0..<2 {
        let result = withAddress(path) { address, length in
          #if canImport(Darwin)
            Darwin.bind(descriptor, address, length)
          #elseif canImport(Musl)
            Musl.bind(descriptor, address, length)
          #else
            Glibc.bind(descriptor, address, length)
          #endif
        }
        if result == 0 {
          chmod(path, 0o600)
          return (descriptor, name)
        }
        code = errno
        // Removes, once, a file left by a dead process that had the same process id.
        guard code == EADDRINUSE, !isAlive(path, from: descriptor) else { break }
        unlink(path)
      }
      guard code == EADDRINUSE else { break }
    }
    closeDescriptor(descriptor)
    throw Failure(path: directory, code: code)
  }

  private static func isAlive(_ path: String, from descriptor: Int32) -> Bool {
    send([0], to: path, from: descriptor) != ECONNREFUSED
  }

  static func send(
    _ bytes: [UInt8], toAllIn directory: String, except own: String?, from descriptor: Int32
  ) {
    guard let folder = opendir(directory) else { return }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".sock"), name != own { names.append(name) }
    }
    closedir(folder)
    for name in names {
      let path = directory + "/" + name
      // No process listens: it ended without removing the file.
      if send(bytes, to: path, from: descriptor) == ECONNREFUSED { unlink(path) }
    }
  }

  /// Sends without waiting. Returns 0 or the error number.
  @discardableResult
  static func send(_ bytes: [UInt8], to path: String, from descriptor: Int32) -> Int32 {
    let sent = withAddress(path) { address, length in
      Int32(
        sendto(
          descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL),
          address,
          length))
    }
    return sent < 0 ? errno : 0
  }

  static func closeDescriptor(_ descriptor: Int32) {
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Glibc.close(descriptor)
    #endif
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < capacity else {
      errno = ENAMETOOLONG
      return -1
    }
    withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      for (index, byte) in path.utf8.enumerated() { buffer[index] = byte }
    }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
