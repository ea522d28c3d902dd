internal import BellhopModel
package import BellhopStore
internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A blob store in a directory: `files/ab/abcd…`, accessible to the owner only.
///
/// A file appears under its name complete and on the disk. Operations that wait for the disk run on
/// a separate queue.
///
/// Several processes may share the directory, also over a network. A draft is locked by `flock`
/// while its process lives, so the file system must carry such locks between hosts, as NFS does.
package final class DirectoryBlobStore: BlobStore {
  let path: String
  let owner: DataOwner
  private let queue = DispatchQueue(label: "bellhop.files", attributes: .concurrent)

  private var drafts: String { path + "/incoming" }

  /// - Parameters:
  ///   - path: the directory, created when the first file arrives.
  ///   - owner: the owner of the files created in it.
  package init(path: String, owner: DataOwner = .process) {
    self.path = path
    self.owner = owner
  }

  private static let hashDigits = 64

  /// Returns the path of a blob; nil if the text is not a valid hash.
  func path(of hash: FileHash) -> String? {
    let text = hash.rawValue
    guard text.utf8.count == Self.hashDigits,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    return "\(path)/\(text.prefix(2))/\(text)"
  }

  /// Runs work that waits for the disk.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: work)) }
    }
  }

  // MARK: - The blob store

  package func makeDraft(named name: String) async throws -> any BlobDraft {
    try await run { [self] in
      for directory in [path, drafts] { try Disk.makeDirectory(directory, owner: owner) }
      let file = drafts + "/" + name
      let draft = Draft(self, descriptor: try DraftLock.makeFile(file), path: file)
      try draft.adopt()
      return draft
    }
  }

  package func open(_ hash: FileHash) async throws -> (any StoredBlob)? {
    guard let file = path(of: hash) else { return nil }
    return try await run { [self] in
      let descriptor = Disk.open(file, O_RDONLY)
      if descriptor < 0, errno == ENOENT { return nil }
      try Disk.check(descriptor, "opened", file)
      var information = stat()
      guard fstat(descriptor, &information) == 0 else {
        close(descriptor)
        throw StoreError.unavailable(reason: "an attachment's file cannot be read")
      }
      return File(self, descriptor: descriptor, size: Int(information.st_size))
    }
  }

  package func remove(_ hash: FileHash) throws {
    guard let file = path(of: hash) else { return }
    guard unlink(file) != 0, errno != ENOENT else { return }
    try Disk.check(-1, "removed", file)
  }

  package func hashes(beginningWith prefix: String) async throws -> [FileHash] {
    let directory = path + "/" + prefix
    return try await run { [self] in
      try Disk.names(in: directory).map { FileHash($0) }
        .filter { path(of: $0)?.hasPrefix(directory + "/") == true }
    }
  }

  package func removeDrafts() async throws {
    try await run { [drafts] in
      for name in try Disk.names(in: drafts) { DraftLock.removeAbandoned(drafts + "/" + name) }
    }
  }

  package func reclaimSpace() async throws {
    try await run { [drafts] in
      for name in try Disk.names(in: drafts) {
        DraftLock.removeAbandoned(drafts + "/" + name, unchangedFor: DraftLock.patience)
      }
    }
  }

  // MARK: - Files

  private final class Draft: BlobDraft {
    private let shelf: DirectoryBlobStore
    private let descriptor: Int32
    private let path: String
    private let isPlaced = Atomic<Bool>(false)

    init(_ shelf: DirectoryBlobStore, descriptor: Int32, path: String) {
      self.shelf = shelf
      self.descriptor = descriptor
      self.path = path
    }

    deinit {
      // In this order, so that another process finds no unlocked draft.
      if !isPlaced.load(ordering: .relaxed) { unlink(path) }
      close(descriptor)
    }

    /// Assigns the file to the owner.
    func adopt() throws { try shelf.owner.adopt(descriptor, path) }

    func write(_ bytes: [UInt8]) async throws {
      try await shelf.run { [self] in try Disk.write(bytes, to: descriptor, path) }
    }

    func place(as hash: FileHash) async throws {
      try await shelf.run { [self] in
        guard let target = shelf.path(of: hash) else { throw StoreError.invalidHash }
        let directory = "\(shelf.path)/\(hash.rawValue.prefix(2))"
        try Disk.makeDirectory(directory, owner: shelf.owner)
        try Disk.check(fsync(descriptor), "written to the disk", path)
        try Disk.check(rename(path, target), "moved into place", target)
        isPlaced.store(true, ordering: .relaxed)
        try Disk.sync(directory)
      }
    }
  }

  private final class File: StoredBlob {
    let size: Int
    private let shelf: DirectoryBlobStore
    private let descriptor: Int32

    init(_ shelf: DirectoryBlobStore, descriptor: Int32, size: Int) {
      self.shelf = shelf
      self.descriptor = descriptor
      self.size = size
    }

    deinit { close(descriptor) }

    func read(at offset: Int, count: Int) async throws -> [UInt8] {
      try await shelf.run { [self] in
        try Disk.read(from: descriptor, at: offset, count: count)
      }
    }
  }
}

/// Wrappers of system calls that translate failures into the store's errors.
enum Disk {
  static func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    let flags = flags | O_CLOEXEC | O_NOFOLLOW
    #if canImport(Glibc)
      return Glibc.open(path, flags, mode)
    #elseif canImport(Musl)
      return Musl.open(path, flags, mode)
    #else
      return Darwin.open(path, flags, mode)
    #endif
  }

  static func check(_ result: Int32, _ action: String, _ path: String) throws {
    guard result < 0 else { return }
    throw StoreError.failedCall(action, path)
  }

  /// Creates the directory, accessible to the owner only, unless it exists. A new directory is on
  /// the disk when this returns.
  ///
  /// - Throws: ``StoreError/unavailable(reason:)``, also when another user created it meanwhile or
  ///   may write to it (SECURITY-4).
  static func makeDirectory(_ path: String, owner: DataOwner) throws {
    let isNew = mkdir(path, 0o700) == 0
    if !isNew, errno != EEXIST { try check(-1, "made", path) }
    let descriptor = open(path, O_RDONLY | O_DIRECTORY)
    try check(descriptor, "opened", path)
    defer { close(descriptor) }
    var status = stat()
    try check(fstat(descriptor, &status), "read", path)
    try refuseForeign(status, path, owner: owner)
    guard isNew else { return }
    try owner.adopt(descriptor, path)
    if let slash = path.lastIndex(of: "/") { try sync(String(path[..<slash])) }
  }

  /// Refuses a directory that another user created or may write to.
  static func refuseForeign(_ status: stat, _ path: String, owner: DataOwner) throws {
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw StoreError.unavailable(reason: "\(path) is not a directory; remove it")
    }
    guard owner.has(status.st_uid) else {
      throw StoreError.unavailable(
        reason: "\(path) belongs to another user; remove it, or choose another name")
    }
    guard status.st_mode & 0o022 == 0 else {
      throw StoreError.unavailable(
        reason: "other users may write to \(path); chmod go-w \(path), or choose another name")
    }
  }

  static func sync(_ directory: String) throws {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY)
    try check(descriptor, "opened", directory)
    defer { close(descriptor) }
    try check(fsync(descriptor), "written to the disk", directory)
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
    try bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        if count < 0 {
          if errno == EINTR { continue }
          try check(-1, "written", path)
        }
        rest = rest.dropFirst(count)
      }
    }
  }

  private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }

  static func read(from descriptor: Int32, at offset: Int, count: Int) throws -> [UInt8] {
    // `filled` counts exactly the bytes that were read, even if an error ends the read.
    try [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
      while filled < buffer.count {
        let got = pread(
          descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled,
          off_t(offset + filled))
        if got == 0 { return }
        if got < 0 {
          if errno == EINTR { continue }
          try check(-1, "read", "an attachment's file")
        }
        filled += got
      }
    }
  }

  /// Returns the names in a directory; none if it does not exist.
  static func names(in directory: String) throws -> [String] {
    guard let stream = opendir(directory) else {
      if errno == ENOENT { return [] }
      try check(-1, "read", directory)
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Opens a regular file for reading. Anything else is refused: a pipe without a writer would
  /// block.
  static func openFile(_ path: String) throws -> Int32 {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK)
    try check(descriptor, "opened", path)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw StoreError.unavailable(reason: "\(path) is not a regular file")
    }
    return descriptor
  }

  static func copy(_ source: String, to target: String, owner: DataOwner) throws {
    let from = try openFile(source)
    defer { close(from) }
    let to = open(target, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    try check(to, "made", target)
    defer { close(to) }
    try owner.adopt(to, target)
    try forEachPiece(of: from) { try write($0, to: to, target) }
    try check(fsync(to), "written to the disk", target)
  }

  /// Reads an open file from the beginning, piece by piece.
  static func forEachPiece(of descriptor: Int32, _ body: ([UInt8]) throws -> Void) throws {
    var offset = 0
    while case let bytes = try read(from: descriptor, at: offset, count: 256 * 1024), !bytes.isEmpty
    {
      try body(bytes)
      offset += bytes.count
    }
  }
}
