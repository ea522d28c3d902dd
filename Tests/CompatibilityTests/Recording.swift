import BellhopModel
import BellhopTestSupport
import BellhopWire
import Foundation
import GRDB

/// The recorded files of a released version.
///
/// They are its store, its cache, its configuration, and an exchange between its client and its
/// store. The `README.md` beside them explains how they were made.
struct Recording {
  let version: String

  static let first = Recording(version: "0.1.0")

  func text(_ name: String) throws -> String {
    try SourceTree.text("Tests/CompatibilityTests/\(version)/\(name)")
  }

  /// Creates a database from a dump, in write-ahead mode as the programs leave it.
  func restoreDatabase(_ name: String, at path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: try text(name))
      _ = try String.fetchAll(database, sql: "PRAGMA journal_mode = WAL")
    }
    try queue.close()
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  /// The exchange, and what the client showed after it.
  func exchange() throws -> RecordedExchange {
    try JSONDecoder().decode(RecordedExchange.self, from: Data(try text("exchange.json").utf8))
  }
}

/// Requests of a client with the answers of a store of the same version.
struct RecordedExchange: Decodable {
  struct Request: Decodable {
    var method: String
    var path: String
    var headers: [String: String]
    var body: String
  }

  struct Answer: Decodable {
    var status: Int
    var headers: [String: String]
    var body: String
  }

  struct Turn: Decodable {
    var request: Request
    var answer: Answer
  }

  /// A row of a list as the client printed it.
  struct Row: Decodable, Hashable, Comparable {
    var number: Int64
    var title: String
    var placement: String
    var isRead: Bool
    var action: String

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      number = try values.decode(Int64.self)
      title = try values.decode(String.self)
      placement = try values.decode(String.self)
      isRead = try values.decode(Bool.self)
      action = try values.decode(String.self)
    }

    static func < (left: Row, right: Row) -> Bool { left.number < right.number }
  }

  /// The time of the recording, in milliseconds since 1970.
  var recordedAt: Int64
  /// Access tokens by the name of their holder. They are valid for the recorded store only.
  var tokens: [String: String]
  /// A client that was offline, with a cache and a filled outbox.
  var laptop: [Turn]
  /// A client that signs in and synchronises for the first time.
  var new: [Turn]
  /// The same first synchronisation with at most 15 rows per page.
  var pages: [Turn]
  /// The signals that this client then receives: an item that was published.
  var signals: [Turn]
  /// The tray of the laptop after its turns.
  var trayAfter: [Row]
  /// All items of the laptop after its turns.
  var allAfter: [Row]

  var time: Timestamp { Timestamp(milliseconds: recordedAt) }
}

extension JSONValue {
  /// The members of `promised` that this value lacks or has with another type, as paths.
  ///
  /// Arrays are compared by their first elements. Null stands for any type.
  func missing(from promised: JSONValue, at path: String = "$") -> [String] {
    switch (promised, self) {
    case (.null, _): []
    case (.object(let wanted), .object(let present)):
      wanted.sorted { $0.key < $1.key }.flatMap { name, value in
        present[name].map { $0.missing(from: value, at: "\(path).\(name)") } ?? ["\(path).\(name)"]
      }
    case (.array(let wanted), .array(let present)):
      if let first = wanted.first, let other = present.first {
        other.missing(from: first, at: path + "[0]")
      } else {
        wanted.isEmpty ? [] : [path + "[0]"]
      }
    case (.bool, .bool), (.number, .number), (.string, .string): []
    case (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): [path]
    }
  }
}
