internal import BellhopClient
internal import BellhopModel

/// The check of the places that this device has learned.
extension DoctorCheck {
  static let places = DoctorCheck(id: "places", title: "places") { examination in
    guard let account = examination.account else { return nil }
    let learned = try LearnedPlacesFile(account.name, examination.context).load().places.values
    let usesPosition = learned.contains { $0.area != nil }
    let found = PlaceCapabilities.examine(
      environment: examination.context.environment, usesPosition: usesPosition)
    let network = found.gateway.explanation + " " + found.wifi.explanation
    guard !learned.isEmpty else {
      return found.recognizesNetworks || found.position.works
        ? .ok("this device has learned none")
        : .ok("this device cannot recognise any. \(network) \(found.position.explanation)")
    }
    let advice = "Until then, report by hand: bellhop place enter and bellhop place leave."
    if learned.contains(where: { $0.networkCount > 0 }), !found.recognizesNetworks {
      return .warning(network, advice)
    }
    if usesPosition, !found.position.works {
      return .warning(found.position.explanation, advice)
    }
    return .ok(learned.count.counted("learned place"))
  }
}
