/// A place of a user, such as *office*, and the devices that are there.
///
/// Each device finds out by itself whether it is at the place: the store knows neither networks nor
/// coordinates. It keeps the last report of each device, and no history.
public struct Place: Hashable, Sendable, Codable {
  /// The devices that reported to be there, each with the time of its last report.
  public var devices: [DeviceID: Timestamp]

  public init(devices: [DeviceID: Timestamp] = [:]) { self.devices = devices }

  /// The time after its last report for which a device counts as being there.
  ///
  /// A device that is there repeats its report more often than that.
  public static let reportLifetime = Duration.seconds(12 * 3600)

  /// Returns the devices that count as being there at an instant.
  public func present(at now: Timestamp) -> [DeviceID] {
    devices.filter { now < $0.value.advanced(by: Self.reportLifetime) }.keys.sorted {
      $0.rawValue < $1.rawValue
    }
  }

  /// The longest name of a place, in bytes.
  public static let nameBytesMax = 64

  /// Returns whether a text can be the name of a place: letters of ASCII, digits, `-`, `_` and `.`.
  public static func isName(_ text: String) -> Bool {
    (1...nameBytesMax).contains(text.utf8.count) && text.isASCIIAlphanumeric(or: "-_.")
  }

  /// The accepted form of a name: completes the sentence "expected …".
  public static let nameForm = "1 to \(nameBytesMax) letters of ASCII, digits, '-', '_' and '.'"
}

/// The crossing of a place's boundary, which can trigger the delivery of an item.
///
/// Modelled on `UNLocationNotificationTrigger`.
public struct PlaceCrossing: Hashable, Sendable {
  /// The direction of a crossing. Raw values are those of the wire.
  public enum Direction: String, Hashable, Sendable, Codable, CaseIterable {
    /// The first of the user's devices arrives.
    case entry
    /// The last of the user's devices leaves.
    case exit
  }

  public var place: String
  public var direction: Direction

  public init(_ direction: Direction, of place: String) {
    self.place = place
    self.direction = direction
  }
}

/// A device's report that it is at a place, or no longer there.
public struct PlaceReport: Hashable, Sendable {
  public var isInside: Bool
  /// The time at which the device noticed it.
  public var time: Timestamp
  /// Whether the device knew of no other device there.
  ///
  /// Then it delivers items before the store has answered. The store decides by its own records.
  public var isCrossing: Bool

  public init(isInside: Bool, at time: Timestamp, isCrossing: Bool) {
    self.isInside = isInside
    self.time = time
    self.isCrossing = isCrossing
  }

  var direction: PlaceCrossing.Direction { isInside ? .entry : .exit }
}

/// A change to one of a user's places.
public enum PlaceChange: Hashable, Sendable {
  /// Adds the place; one that exists stays as it is.
  case add
  /// Removes the place. Items that wait for it stay, and are not delivered.
  case remove
  /// Records where the device is that makes the change; has no effect if there is no such place.
  case report(PlaceReport)
}

extension Place {
  /// Records a device's report.
  ///
  /// A report that is older than the device's last one changes nothing.
  ///
  /// - Parameter now: The time of the change. Reports that are then too old do not count.
  /// - Returns: The direction in which the user crossed the boundary; nil if other devices are or
  ///   stay there, and if the device was there already.
  mutating func record(
    _ report: PlaceReport, of device: DeviceID, at now: Timestamp
  ) -> PlaceCrossing.Direction? {
    let others = present(at: now).filter { $0 != device }
    let wasInside = devices[device].map { now < $0.advanced(by: Self.reportLifetime) } ?? false
    if let known = devices[device], report.time < known { return nil }
    devices = devices.filter { others.contains($0.key) }
    if report.isInside { devices[device] = min(report.time, now) }
    guard others.isEmpty || Mutant.everyDeviceCrosses.isOn, report.isInside != wasInside else {
      return nil
    }
    return report.direction
  }
}

extension [String: PlaceChange] {
  /// Returns the places after the changes, and the crossings that they report, by place.
  ///
  /// - Parameter reporter: The device that makes the changes, and their time. Without them, reports
  ///   have no effect.
  package func applied(
    to places: [String: Place], by reporter: (device: DeviceID, time: Timestamp)?
  ) -> (places: [String: Place], crossings: [PlaceCrossing: Timestamp]) {
    var places = places
    var crossings: [PlaceCrossing: Timestamp] = [:]
    for (name, change) in self {
      switch change {
      case .add: if places[name] == nil { places[name] = Place() }
      case .remove: places[name] = nil
      case .report(let report):
        guard let reporter, var place = places[name] else { continue }
        if let direction = place.record(report, of: reporter.device, at: reporter.time) {
          crossings[PlaceCrossing(direction, of: name)] = Swift.min(report.time, reporter.time)
        }
        places[name] = place
      }
    }
    return (places, crossings)
  }
}

extension [String: Place] {
  /// Returns a device's reports of where it is, as changes to these places.
  ///
  /// Other places are passed over, as are reports that the device has made.
  ///
  /// - Parameters:
  ///   - presences: Whether the device is at each place.
  ///   - repetition: The time after which it repeats that it is at a place; nil to repeat every
  ///     report.
  package func reports(
    _ presences: [String: Bool], of device: DeviceID, repeatingAfter repetition: Duration?,
    at now: Timestamp
  ) -> [String: PlaceChange] {
    var changes: [String: PlaceChange] = [:]
    for (name, isInside) in presences {
      guard let place = self[name] else { continue }
      let last = place.devices[device]
      if let repetition {
        let isKnown = last.map { now < $0.advanced(by: repetition) } ?? false
        if isInside ? isKnown : last == nil { continue }
      }
      let others = place.present(at: now).filter { $0 != device }
      changes[name] = .report(
        PlaceReport(isInside: isInside, at: now, isCrossing: others.isEmpty))
    }
    return changes
  }
}

extension UserNotification {
  /// Returns the item as a crossing delivers it; nil if its trigger does not wait for that one.
  ///
  /// A crossing that is older than the item, or than the last one that delivered it, has no effect.
  package func crossed(_ crossing: PlaceCrossing, at time: Timestamp) -> UserNotification? {
    guard let trigger = content.trigger, case .place(crossing) = trigger.kind,
      state.occurrenceAtCancellation == nil, time > arrival
    else { return nil }
    if let last = state.crossed {
      guard trigger.repeats, time > last else { return nil }
    }
    var item = self
    item.state.crossed = time
    return item
  }

  /// Returns the item as a device's own reports deliver it before the store has answered them.
  func crossed(by reports: [String: PlaceReport]) -> UserNotification? {
    guard case .place(let crossing)? = content.trigger?.kind,
      let report = reports[crossing.place], report.direction == crossing.direction
    else { return nil }
    return crossed(crossing, at: report.time)
  }
}
