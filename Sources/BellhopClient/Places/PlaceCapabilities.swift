/// The ways in which this device can recognise places, for `bellhop doctor`.
package struct PlaceCapabilities: Hashable, Sendable {
  /// One way, with an explanation for users.
  package struct Source: Hashable, Sendable {
    package var works: Bool
    /// A sentence.
    package var explanation: String
  }

  /// The hardware address of the gateway, from the kernel.
  package var gateway: Source
  /// The name of the Wi-Fi network, from NetworkManager.
  package var wifi: Source
  /// The position, from GeoClue.
  package var position: Source

  /// Whether the device can recognise networks.
  package var recognizesNetworks: Bool { gateway.works || wifi.works }

  /// Tries each way. Blocks the thread for some seconds if a service does not answer.
  ///
  /// - Parameter usesPosition: Whether to ask GeoClue for positions. It may then ask the user for
  ///   permission, so this is for devices with the area of a place.
  package static func examine(
    environment: [String: String], usesPosition: Bool
  ) -> PlaceCapabilities {
    PlaceCapabilities(
      gateway: gateway(.system(environment: environment)), wifi: wifi(environment),
      position: position(environment, isUsed: usesPosition))
  }

  static func gateway(_ sources: NetworkSurvey.Sources) -> Source {
    let tables: NetworkTables
    do {
      tables = try sources.tables()
    } catch {
      return Source(works: false, explanation: error.what)
    }
    guard tables.hasDefaultRoute else {
      return Source(works: true, explanation: "This device is not on a network now.")
    }
    let gateways = NetworkSurvey.resolved(tables, sources)
    if gateways.isEmpty {
      return Source(
        works: false,
        explanation: "The gateway of this network has no hardware address, as that of a VPN.")
    }
    guard gateways.contains(where: { $0.hardwareAddress != nil }) else {
      return Source(works: false, explanation: "The gateway of this network does not answer.")
    }
    return Source(works: true, explanation: "The gateway of this network is known.")
  }

  static func wifi(_ environment: [String: String]) -> Source {
    do {
      let bus = try SystemBus(environment: environment, limit: WiFiName.limit)
      guard try WiFiName.runs(bus) else {
        return Source(works: false, explanation: "NetworkManager does not run.")
      }
      let isOnWiFi = try WiFiName.present(bus) != nil
      return Source(
        works: true,
        explanation: isOnWiFi
          ? "NetworkManager reports the name of the Wi-Fi network."
          : "NetworkManager runs, and this device is not on Wi-Fi.")
    } catch {
      return Source(works: false, explanation: error.what)
    }
  }

  static func position(_ environment: [String: String], isUsed: Bool) -> Source {
    do {
      let bus = try SystemBus(environment: environment, limit: GeoClue.limit)
      guard try GeoClue.isAvailable(on: bus) else {
        return Source(
          works: false,
          explanation: "GeoClue has no source of positions, or the user has turned it off.")
      }
      if isUsed {
        _ = try GeoClue.start(on: bus, thresholdMeters: 1000, startLimit: GeoClue.limit)
      }
      return Source(works: true, explanation: "GeoClue reports the position.")
    } catch {
      return Source(works: false, explanation: error.what)
    }
  }
}
