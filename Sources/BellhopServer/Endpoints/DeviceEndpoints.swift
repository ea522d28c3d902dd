internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `/v1.0/me/devices`: the registrations of devices.
enum DeviceEndpoints {
  static let endpoints = [
    Endpoint.native(.post, "me/devices", .device, register).described(
      .init(
        id: "registerDevice", summary: "Register a device, or renew its registration.",

        body: .json("DeviceRegistration", example: ["id": "laptop", "name": "My laptop"]),
        answers: [.init(201, "Registered.", .json("Device"), headers: ["Location"])])),
    Endpoint.native(.get, "me/devices", .device, list).described(
      .init(
        id: "listDevices", summary: "The user's devices.",
        answers: [.init(200, "All devices.", .json("DeviceList"))])),
    Endpoint.native(.get, "me/devices/:id", .device, get).described(
      .init(
        id: "getDevice", summary: "One device.",
        answers: [.init(200, "The device.", .json("Device"))])),
    Endpoint.native(.patch, "me/devices/:id", .device, patch).described(
      .init(
        id: "changeDevice", summary: "Rename or renew a device.", body: .json("DeviceChange"),
        answers: [.init(200, "The device as it is now.", .json("Device"))])),
    Endpoint.native(.delete, "me/devices/:id", .device, revoke).described(
      .init(
        id: "revokeDevice", summary: "Revoke a device and its tokens.",
        answers: [.init(204, "Revoked.")])),
  ]

  private static func register(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let payload = try await exchange.payload(DeviceRegistrationPayload.self)
    let device = try await exchange.store.register(
      DeviceRegistration(
        id: payload.id, name: payload.name, platform: payload.platform,
        channel: DeviceChannel(payload.channel),
        environment: payload.environment ?? .production),
      with: principal.token.id, for: principal.user.id)
    return try .json(
      .created, describe(device, exchange, current: device.id),
      headers: [.location: exchange.linkBase + Route.device(device.id).path])
  }

  private static func list(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let devices = try await exchange.store.devices(of: principal.user.id)
    return try .json(
      .ok,
      DeviceListPayload(
        value: devices.map { describe($0, exchange, current: principal.device?.id) }))
  }

  private static func get(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let device = try await exchange.store.device(exchange.deviceID(), of: principal.user.id)
    return try .json(.ok, describe(device, exchange, current: principal.device?.id))
  }

  private static func patch(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let id = try exchange.deviceID()
    var registration = try await exchange.store.device(id, of: principal.user.id).registration
    guard principal.token.scope == .device(id) else {
      throw RequestError.forbidden("A device can change only its own registration.")
    }
    let payload = try await exchange.payload(DevicePatchPayload.self)
    if let name = payload.name { registration.name = name }
    if let channel = payload.channel { registration.channel = DeviceChannel(channel) }
    if let environment = payload.environment { registration.environment = environment }
    let device = try await exchange.store.register(
      registration, with: principal.token.id, for: principal.user.id)
    return try .json(.ok, describe(device, exchange, current: id))
  }

  private static func revoke(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    try await exchange.store.revokeDevice(
      exchange.deviceID(), of: principal.user.id, by: principal.author.name)
    return Response(status: .noContent)
  }

  private static func describe(
    _ device: Device, _ exchange: Exchange, current: DeviceID?
  ) -> DevicePayload {
    let registration = device.registration
    let state = device.state(
      at: exchange.store.now, expiring: exchange.store.limits.deviceExpiring)
    return DevicePayload(
      id: device.id, name: registration.name, platform: registration.platform,
      channel: registration.channel == .signal ? .signal : .polling,
      state: DevicePayload.State(state), registeredDateTime: device.registered,
      renewedDateTime: device.renewed,
      expirationDateTime: device.expires, isCurrent: device.id == current,
      environment: registration.environment.written)
  }
}

extension DeviceChannel {
  fileprivate init(_ channel: ChannelType) {
    switch channel {
    case .signal: self = .signal
    case .polling: self = .polling
    }
  }
}

extension DevicePayload.State {
  fileprivate init(_ state: Device.State) {
    switch state {
    case .registered: self = .registered
    case .expiring: self = .expiring
    case .expired: self = .expired
    }
  }
}
