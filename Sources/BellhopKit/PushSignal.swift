internal import BellhopModel
internal import BellhopWire
internal import FoundationEssentials

/// A content-free signal of a store, as push channels deliver it: something changed, come and look.
struct PushSignal: Hashable, Sendable {
  /// How far the store is; nil when the signal does not say.
  var reached: SignalPayload?

  /// Longer messages are none of a store's.
  static let bytesMax = 1 << 20

  /// Reads the data of an event of the store's stream of signals (`{"epoch":…,"sequence":…}`), such an
  /// event whole, or the body of a web hook's request (Graph's `changeNotificationCollection`).
  ///
  /// Nil for anything else, which is another program's.
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

  /// Graph's collections of change and of lifecycle notifications, as far as they matter here.
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

  /// The data of `event: changed`, lines joined; nil for what is no such event.
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
