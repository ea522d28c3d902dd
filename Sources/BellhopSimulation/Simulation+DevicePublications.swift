import BellhopCache
import BellhopModel

/// Publications by users at their devices.
extension Simulation {
  /// Publishes an item on a device, connected or not.
  ///
  /// No random number is drawn, so that the meaning of seeds does not change.
  ///
  /// - Returns: False in scenarios without such publications.
  func publish(on device: SimulatedDevice) -> Bool {
    guard world.scenario.hasDevicePublications else { return false }
    titles += 1
    let now = device.now
    func later(_ seconds: Int) -> Timestamp { now.advanced(by: .seconds(seconds)) }
    var content = Content(
      app: ["ci", "nas", "mail"][titles % 3],
      appNotificationID: titles % 2 == 0 ? "job-\(titles / 2 % 8)" : nil,
      visual: VisualContent(title: "title \(titles)"))
    switch titles % 7 {
    case 1, 4: content.deliverAt = later(titles % 50 + 5)
    case 2: content.trigger = try? Trigger(soon, repeats: titles % 4 != 0)
    case 5:
      content.trigger = try? Trigger(
        .interval(seconds: titles % 4 == 0 ? 60 : 75), repeats: titles % 3 != 0)
    case 6: content.expiration = later(titles % 90 + 20)
    default: break  // open: Int
    }
    let operation = Operation(id: operationID(), publishing: content, at: now)
    world.note(
      "device \(device.index): '\(content.visual?.title ?? "")' is published as "
        + "\(operation.id.low)")
    world.judge.intended(operation, on: device.index, shown: [], of: device.past)
    ownItems[device.index, default: []].append(PlainPublication.id(of: operation.id))
    device.perform([operation], sealAfter: nil)
    return true
  }

  /// Returns the last item that only the device has, if its user sees one.
  func ownItem(on device: SimulatedDevice) throws -> CachedItem? {
    for id in (ownItems[device.index] ?? []).reversed() {
      if let item = try visible(id, on: device), item.base.sequence == .zero { return item }
    }
    return nil
  }
}
