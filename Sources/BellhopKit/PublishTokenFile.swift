internal import BellhopModel
internal import BellhopWire

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The publish tokens that a feed has made, in a file that only the user can read (SECURITY-4).
struct PublishTokenFile: Sendable {
  let path: String

  /// A token that the feed has made.
  struct Entry: Hashable, Sendable, Codable {
    var id: String
    var app: String
    /// The token itself; nil once the feed has replaced it.
    var secret: String?
    var created: Timestamp
    var expiration: Timestamp

    /// The time from which the feed replaces the token: after two thirds of its lifetime.
    var renewal: Timestamp {
      created.advanced(by: expiration.duration(since: created) * 2 / 3)
    }
  }

  private struct Content: Codable {
    var tokens: [Entry]
  }

  /// The size limit, far above that of the tokens of many apps.
  private static let bytesMax = 1 << 20

  /// Returns the tokens; none if the file is missing or damaged.
  ///
  /// - Throws: ``FeedError/cache(_:)`` if the file cannot be read, or if other users can read it.
  func load() throws(FeedError) -> [Entry] {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return [] }
      throw failure("read")
    }
    defer { _ = close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("read") }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw .cache("Other users can read \(path), so it is not used. Run: chmod 600 \(path)")
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= Self.bytesMax {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw failure("read")
      }
      if count == 0 { break }
      bytes.append(contentsOf: buffer[0..<count])
    }
    // The feed makes other tokens for those that are lost, which expire.
    return (try? WireJSON.decode(Content.self, from: bytes))?.tokens ?? []
  }

  /// Replaces the file atomically, and syncs it to the disk.
  ///
  /// - Throws: ``FeedError/cache(_:)``. The old file is then unchanged.
  func save(_ entries: [Entry]) throws(FeedError) {
    let bytes: [UInt8]
    do {
      bytes = try WireJSON.encode(Content(tokens: entries))
    } catch {
      throw FeedError(wrapping: error)
    }
    let temporary = "\(path).\(getpid()).new"
    _ = unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("written") }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let error = failure("written")
        _ = close(descriptor)
        _ = unlink(temporary)
        throw error
      }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0, close(descriptor) == 0, rename(temporary, path) == 0 else {
      let error = failure("written")
      _ = unlink(temporary)
      throw error
    }
  }

  private func failure(_ verb: String) -> FeedError {
    .cache("The file \(path) cannot be \(verb): \(String(cString: strerror(errno)).clause).")
  }
}

extension PublishTokenFile.Entry: CustomStringConvertible, CustomReflectable {
  var description: String { "token \(id) for \(app), secret <redacted>" }
  var customMirror: Mirror { Mirror(self, children: []) }
}
