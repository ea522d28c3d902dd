internal import BellhopModel
internal import BellhopWire
internal import FoundationEssentials

/// A content-free signal of a store, as push channels deliver it: something has changed.
struct PushSignal: Hashable, Sendable {
  /// The state that the store has reached; nil if the signal does not contain it.
  var reached: SignalPayload?

  /// The maximum size of a signal, in bytes; a store never sends larger ones.
  static let bytesMax = 1 << 20

  /// Parses an event of the store's signal stream, or the body of a web hook's request.
  ///
  /// Accepts the data of the event (`{"epoch":…,"sequence":…}`), the whole event, and Graph's
  /// `changeNotificationCollection`. Nil for anything else, which belongs to another program.
  init?(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes.prefix(Self.bytesMax + 1))
    guard bytes.count <= Self.bytesMax else { return nil }
    let json = Self.eventData(bytes) ?? bytes
    if let reached = try? WireJSON.decode(SignalPayload.self, from: json) {
      self.reached = reached
      return
    }
    guard let hook = try? JSONDecoder().decode(Hook.self, from: Data(json)), !hook.value.isEmpty,
      hook.value.allSatisfy(\.isOfNotifications)
    else { return nil }
  }

  /// Graph's collection of change or lifecycle notifications, limited to the members used here.
  private struct Hook: Decodable {
    struct Notification: Decodable {
      var subscriptionId: String
      var resource: String
      var changeType: String?
      var lifecycleEvent: String?

      var isOfNotifications: Bool {
        let parts = resource.split(separator: "/")
        return parts.contains("notifications") && (parts.first == "me" || parts.first == "users")
          && (changeType != nil || lifecycleEvent != nil)
      }
    }

    var value: [Notification]
  }

  /// Returns the data of an `event: changed`, with its lines joined; nil for any other text.
  private static func eventData(_ bytes: [UInt8]) -> [UInt8]? {
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    guard lines.contains(where: { value(of: "event", in: $0) == SignalPayload.event }) else {
      return nil
    }
    return Array(lines.compactMap { value(of: "data", in: $0) }.joined(separator: "\n").utf8)
  }

  private static func value(of field: String, in line: Substring) -> String? {
    guard line.hasPrefix(field + ":") else { return nil }
    let value = line.dropFirst(field.utf8.count + 1)
    return String(value.hasPrefix(" ") ? value.dropFirst() : value)
  }
}
