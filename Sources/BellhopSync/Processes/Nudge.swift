import FoundationEssentials

/// A message between processes that share a cache. Like a signal, it may be lost or doubled.
package enum Nudge: Hashable, Sendable {
  /// Operations were written to the outbox, and the engine is to send them.
  case outboxChanged
  /// The shown state may have changed: lists must be read again.
  case dataChanged
  /// A request to exchange everything now.
  case syncNow
  /// The engine's status.
  case status(EngineStatus)
  /// A request for the engine's status.
  case statusWanted

  /// The maximum size of a datagram. Longer ones are ignored.
  static let bytesMax = 4096

  /// The datagram's bytes: a letter, followed by JSON for a status.
  var bytes: [UInt8] {
    switch self {
    case .outboxChanged: return [UInt8(ascii: "o")]
    case .dataChanged: return [UInt8(ascii: "d")]
    case .syncNow: return [UInt8(ascii: "s")]
    case .statusWanted: return [UInt8(ascii: "?")]
    case .status(var status):
      status.problem = status.problem.map { String($0.prefix(512)) }
      let json = (try? JSONEncoder().encode(status)).map { [UInt8]($0) } ?? []
      return [UInt8(ascii: "t")] + json
    }
  }

  /// Decodes a datagram. Returns nil for anything else, such as a nudge of a newer version.
  init?(bytes: some Collection<UInt8>) {
    switch bytes.first {
    case UInt8(ascii: "o"): self = .outboxChanged
    case UInt8(ascii: "d"): self = .dataChanged
    case UInt8(ascii: "s"): self = .syncNow
    case UInt8(ascii: "?"): self = .statusWanted
    case UInt8(ascii: "t"):
      let json = Data(bytes.dropFirst())
      guard let status = try? JSONDecoder().decode(EngineStatus.self, from: json) else {
        return nil
      }
      self = .status(status)
    default: return nil  // open: UInt8?
    }
  }
}
