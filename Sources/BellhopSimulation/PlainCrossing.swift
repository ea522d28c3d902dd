import BellhopModel

/// A second implementation of the crossing of places' boundaries.
///
/// It is independent of `Place` and of `UserNotification.crossed(_:at:)`, which the client and the
/// store share.
struct PlainCrossing {
  var place: String
  var isEntry: Bool
  var time: Timestamp

  /// The milliseconds after its last report for which a device counts as being at a place.
  private static let reportLife: Int64 = 43_200_000

  /// Records changes to places in the settings for all apps.
  ///
  /// - Parameters:
  ///   - device: The device that makes the changes.
  ///   - registered: The devices that the store knows. Others have left every place.
  /// - Returns: The crossings that the changes report.
  static func record(
    _ changes: [String: PlaceChange], by device: DeviceID?, in settings: inout AppSettings,
    among registered: Set<DeviceID>, at now: Timestamp
  ) -> [PlainCrossing] {
    var found: [PlainCrossing] = []
    for (name, place) in settings.places {
      let devices = place.devices.filter { registered.contains($0.key) }
      settings.places[name]?.devices = devices
    }
    for (name, change) in changes {
      switch change {
      case .add: settings.places[name] = settings.places[name] ?? Place()
      case .remove: settings.places.removeValue(forKey: name)
      case .report(let report):
        guard let device, let there = settings.places[name]?.devices else { continue }
        if let last = there[device], report.time < last { continue }
        let counting = there.filter { now.milliseconds < $0.value.milliseconds + reportLife }
        let others = counting.filter { $0.key != device }
        let time = Timestamp(
          milliseconds: Swift.min(report.time.milliseconds, now.milliseconds))
        var after = others
        if report.isInside { after[device] = time }
        settings.places[name]?.devices = after
        if others.isEmpty, (counting[device] != nil) != report.isInside {
          found.append(PlainCrossing(place: name, isEntry: report.isInside, time: time))
        }
      }
    }
    return found
  }

  /// Returns the crossings that a device's own operation shows before the store's answer.
  static func claimed(by operation: Operation) -> [PlainCrossing] {
    guard case .configure(let change) = operation.mutation else { return [] }
    return (change.places ?? [:]).compactMap { name, change in
      guard case .report(let report) = change, report.isCrossing else { return nil }
      return PlainCrossing(place: name, isEntry: report.isInside, time: report.time)
    }
  }

  /// Returns the item as one of the crossings delivers it; nil if none does.
  static func crossed(
    _ item: UserNotification, by crossings: [PlainCrossing]
  ) -> UserNotification? {
    guard let trigger = item.content.trigger, case .place(let wanted) = trigger.kind,
      !item.state.cancelled.value || item.state.cancelled.change?.occurrence == nil,
      let crossing = crossings.first(where: {
        $0.place == wanted.place && $0.isEntry == (wanted.direction == .entry)
      }), crossing.time > item.arrival
    else { return nil }
    if let last = item.state.crossed, !trigger.repeats || crossing.time <= last { return nil }
    var item = item
    item.state.crossed = crossing.time
    return item
  }
}

extension UserNotification {
  /// Whether the item has a trigger for a place.
  var waitsForPlace: Bool { if case .place? = content.trigger?.kind { true } else { false } }
}
