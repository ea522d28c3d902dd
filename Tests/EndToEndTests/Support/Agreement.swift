import BellhopTestSupport
import Testing

/// Checks that all devices agree, and have everything that was acknowledged.
enum Agreement {
  /// Checks that every acknowledged item and operation is there, once, and nothing came twice.
  static func compare(
    _ mirror: StoreMirror, _ publishers: [SteadyPublisher], _ handler: SteadyDevice,
    _ place: String
  ) {
    for publisher in publishers {
      #expect(publisher.refusals.isEmpty, "\(place): \(publisher.refusals)")
      for (title, id) in publisher.answered where mirror.ids[title] != [id] {
        Issue.record("\(place): \(title) is \(id); there: \(mirror.ids[title] ?? [])")
      }
    }
    for (title, ids) in mirror.ids where ids.count != 1 {
      Issue.record("\(place): \(title) is there \(ids.count) times")
    }
    #expect(handler.refusals.isEmpty, "\(place): \(handler.refusals)")
    let unanswered = handler.unanswered
    for (item, action) in handler.actions {
      let there = mirror.items[item]?.action
      if there == action { continue }
      // An operation without an answer may have been performed all the same.
      if let unanswered, unanswered.item == item, unanswered.action == there { continue }
      Issue.record("\(place): \(item) is \(there ?? "not there"), and was answered as \(action)")
    }
  }

  /// Waits until the devices have what the store has.
  static func converge(
    _ devices: [Device], _ mirror: StoreMirror, _ store: StoreProcess
  ) async throws {
    var mirror = mirror
    try mirror.pull(store.port)
    let there = mirror.items.mapValues { [$0.action, $0.read] }
    for device in devices {
      var difference = ""
      _ = try await eventually("\(device.name) to have what the store has", last: difference) {
        () -> Bool? in
        // A device that would wait before its next retry is triggered at once.
        _ = try await device.bellhop("sync")
        let items = try await device.items("list", "--all", "--limit", "1000000")
        let own = Dictionary(
          items.map { ($0.id, [$0.action, $0.read ? "read" : "unread"]) },
          uniquingKeysWith: { first, _ in first })
        difference = "\(own.count) items of \(there.count)"
        return own == there && !items.contains { $0.waiting } ? true : nil
      }
    }
  }
}

extension Sequence {
  /// The elements mapped one after another.
  func asyncMap<Value>(
    _ transform: (Element) async throws -> Value
  ) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
