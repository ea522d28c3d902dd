import FoundationEssentials

/// What processes that share a cache tell each other. Like a signal it may be lost or doubled.
package enum Nudge: Hashable, Sendable {
  /// Operations were written to the outbox: the engine is to send them.
  case outboxChanged
  /// Something shown may have changed: lists are to be read again.
  case dataChanged
  /// Everything is to be exchanged now.
  case syncNow
  /// How the engine stands with the store.
  case status(EngineStatus)
  /// The engine is to say how it stands.
  case statusWanted

  /// Longer datagrams are ignored.
  static let bytesMax = 4096

  /// The datagram's bytes: a letter, and for a status its JSON.
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

  /// The nudge in a datagram; nil for anything else, such as one of a newer version.
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
