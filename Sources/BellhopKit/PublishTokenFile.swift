internal import BellhopModel
internal import BellhopSync
internal import BellhopWire

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

  /// Returns the tokens; none if the file is missing or damaged.
  ///
  /// - Throws: ``FeedError/cache(_:)`` if the file cannot be read, or if other users can read it.
  func load() throws(FeedError) -> [Entry] {
    do {
      // The feed makes other tokens for those that are lost, which expire.
      return try OwnFile.read(path, isSecret: true)
        .flatMap { try? WireJSON.decode(Content.self, from: $0) }?.tokens ?? []
    } catch {
      throw FeedError(error)
    }
  }

  /// Replaces the file atomically, and syncs it to the disk.
  ///
  /// - Throws: ``FeedError/cache(_:)``. The old file is then unchanged.
  func save(_ entries: [Entry]) throws(FeedError) {
    let bytes = try FeedError.wrapping { try WireJSON.encode(Content(tokens: entries)) }
    do {
      try OwnFile.write(bytes, to: path, isSynced: true)
    } catch {
      throw FeedError(error)
    }
  }
}

extension FeedError {
  fileprivate init(_ failure: OwnFile.AccessError) {
    self = .cache([failure.message, failure.next].compactMap { $0 }.joined(separator: " "))
  }
}

extension PublishTokenFile.Entry: CustomStringConvertible, CustomReflectable {
  var description: String { "token \(id) for \(app), secret <redacted>" }
  var customMirror: Mirror { Mirror(self, children: []) }
}
