internal import BellhopCache
package import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

extension Commands {
  private static let placeCells = 24

  /// Runs `bellhop place list`, which prints the user's places and the devices that are there.
  ///
  /// - Throws: `ClientError`.
  package static func places(
    _ context: ClientContext, isOffline: Bool, asJSON: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    _ = try access.freshen(isOffline: isOffline)
    let reader = try access.reader()
    let places = try failing { try reader.appSettings(of: AppSettings.everyApp) }?.places ?? [:]
    let learned = try LearnedPlacesFile(access.account.name, context).load().places
    let now = try access.storeTime()
    for (name, place) in places.sorted(by: { $0.key < $1.key }) {
      let present = place.present(at: now)
      let isHere = present.contains(access.account.device)
      if asJSON {
        try StandardOutput.jsonLine(
          PlaceJSON(
            account: access.account.name.rawValue, name: name, here: isHere,
            devices: present.map(\.rawValue), learned: learned[name] != nil))
      } else {
        let presence = presence(isHere: isHere, others: present.count - (isHere ? 1 : 0))
        let line = SafeText(name).padded(to: placeCells) + " " + presence
        StandardOutput.line(learned[name] == nil ? line : line + " · known to this device")
      }
    }
    if places.isEmpty, !asJSON, StandardOutput.isTerminal {
      StandardError.say("There are no places. bellhop place add office adds one.")
    }
  }

  private static func presence(isHere: Bool, others: Int) -> SafeText {
    let devices = SafeText(others.counted(isHere ? "other device" : "device"))
    return switch (isHere, others) {
    case (true, 0): "here"
    case (true, _): "here, and " + devices
    case (false, 0): "no device"
    case (false, _): devices
    }
  }

  /// Runs `bellhop place add`, which `bellhop undo` reverts. This device keeps what it has learned.
  ///
  /// - Throws: `ClientError` for a text that cannot be a name, and if the device cannot learn the
  ///   place.
  package static func addPlace(
    _ context: ClientContext, _ name: String, learning request: PlaceRequest, waits: Bool
  ) throws {
    guard Place.isName(name) else {
      throw ClientError(
        .usage, "\"\(name.prefix(64))\" cannot be the name of a place.",
        next: "Nothing was changed. Use \(Place.nameForm), such as office.")
    }
    let area = try request.area()
    let access = try CacheAccess(context, startsStore: false)
    let file = LearnedPlacesFile(access.account.name, context)
    let wasLearned = try file.load().places[name] != nil
    // Before the place itself, so that programs that run read the file when they learn of the place.
    try runBlocking {
      if request.isHere {
        try await file.learn(await .present(environment: context.environment), as: name)
      }
      if let area { try await file.set(area, of: name) }
    }
    var change = AppSettingsChange()
    change.places = [name: .add]
    do {
      try configure(access, app: AppSettings.everyApp, change, waits: waits)
    } catch {
      if !wasLearned { _ = try? runBlocking { try await file.forget(name) } }
      throw error
    }
    if request.isHere { try report(name, isInside: true, access, waits: waits) }
  }

  /// Runs `bellhop place remove`, which `bellhop undo` reverts. This device forgets the place.
  ///
  /// - Throws: `ClientError` for an unknown place.
  package static func removePlace(
    _ context: ClientContext, _ name: String, waits: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    try checkPlace(name, access)
    _ = try runBlocking { try await LearnedPlacesFile(access.account.name, context).forget(name) }
    var change = AppSettingsChange()
    change.places = [name: .remove]
    try configure(access, app: AppSettings.everyApp, change, waits: waits)
  }

  /// Runs `bellhop place enter` and `leave`, which report where this device is.
  ///
  /// - Throws: `ClientError` for an unknown place.
  package static func reportPlace(
    _ context: ClientContext, _ name: String, isInside: Bool, waits: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    _ = try access.freshen(isOffline: false)
    try checkPlace(name, access)
    try report(name, isInside: isInside, access, waits: waits)
  }

  private static func report(
    _ name: String, isInside: Bool, _ access: CacheAccess, waits: Bool
  ) throws {
    let operation = try failing {
      try access.reportPlaces(
        [name: isInside], repeatingAfter: nil, now: try access.storeTime())
    }
    _ = try send(access, waits: waits, operations: operation.map { [$0] } ?? [])
  }

  /// Checks that the user has a place with this name.
  private static func checkPlace(_ name: String, _ access: CacheAccess) throws {
    let settings = try access.newReader().appSettings(of: AppSettings.everyApp)
    guard settings?.places[name] != nil else {
      throw ClientError(
        .noSuchItem, "\"\(name.prefix(64))\" is not one of your places.",
        next: "Nothing was changed. bellhop place list shows your places.")
    }
  }
}

/// A place as one line of `--json`. The keys are stable; the topic `watch` lists them.
private struct PlaceJSON: Encodable {
  var account: String
  var name: String
  /// Whether this device is there.
  var here: Bool
  /// The ids of all devices that are there.
  var devices: [String]
  /// Whether this device finds out by itself that it is there.
  var learned: Bool
}

/// The ways in which this device learns a place, as typed.
package struct PlaceRequest: Sendable {
  /// Whether it learns the present network.
  package var isHere: Bool
  package var latitude: Double?
  package var longitude: Double?
  /// In metres.
  package var radius: Double?

  package init(isHere: Bool, latitude: Double?, longitude: Double?, radius: Double?) {
    self.isHere = isHere
    self.latitude = latitude
    self.longitude = longitude
    self.radius = radius
  }

  /// Returns the area; nil without one.
  ///
  /// - Throws: `ClientError` if a part of it is missing, or out of range.
  func area() throws -> Area? {
    switch (latitude, longitude, radius) {
    case (nil, nil, nil): return nil
    case (let latitude?, let longitude?, let radius?):
      return try Area(latitude: latitude, longitude: longitude, radiusMeters: radius)
    default:  // open: (Double?, Double?, Double?)
      throw ClientError(
        .usage, "--latitude, --longitude and --radius belong together.",
        next: "Nothing was changed.")
    }
  }
}
