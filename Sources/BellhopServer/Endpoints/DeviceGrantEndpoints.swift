internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// `/v1.0/me/deviceGrants/{code}`: a signed-in device shows a waiting one, and the user decides.
enum DeviceGrantEndpoints {
  static let endpoints = [
    Endpoint.native(.get, "me/deviceGrants/:code", .device, get).described(
      .init(
        id: "getDeviceGrant", summary: "The device that waits for approval with a code.",
        answers: [.init(200, "The waiting device.", .json("DeviceGrant"))])),
    Endpoint.native(.post, "me/deviceGrants/:code", .device, decide).described(
      .init(
        id: "decideDeviceGrant", summary: "Approve or deny a waiting device.",
        body: .json("DeviceGrantDecision"),
        answers: [.init(200, "The device as it is now.", .json("DeviceGrant"))],
        refusals: [409: "The request was already decided differently."])),
  ]

  private static func get(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let grant = try exchange.server.grants.grant(code(exchange), for: principal.user.id)
    return try .json(.ok, try await describe(grant, for: principal.user.id, exchange))
  }

  private static func decide(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let decision = try await exchange.payload(DeviceGrantDecisionPayload.self).decision
    return try .json(
      .ok, try await decide(code(exchange), decision, for: principal.user.id, exchange))
  }

  /// Makes a user's decision, for the native interface and for administration.
  ///
  /// - Throws: ``RequestError``: 404 when no device waits, 409 when the user has already decided
  ///   otherwise.
  static func decide(
    _ code: String, _ decision: DeviceGrantDecisionPayload.Decision, for user: UserID,
    _ exchange: Exchange
  ) async throws -> DeviceGrantPayload {
    let grant = try exchange.server.grants.decide(
      code, isApproved: decision == .approve, by: user)
    let payload = try await describe(grant, for: user, exchange)
    guard (payload.state == .approved) == (decision == .approve) else {
      throw RequestError(
        .conflict, .nameAlreadyExists, "This device was already \(payload.state.rawValue).")
    }
    exchange.logger.notice("a device was \(payload.state.rawValue)")
    return payload
  }

  /// Returns the grant as shown to the users who may decide.
  static func describe(
    _ grant: DeviceGrantTable.Grant, for user: UserID, _ exchange: Exchange
  ) async throws -> DeviceGrantPayload {
    let registration = grant.ask.registration
    var isKnown = false
    if let registration {
      isKnown = try await exchange.store.devices(of: user).contains { $0.id == registration.id }
    }
    let state: DeviceGrantPayload.State =
      switch grant.state {
      case .pending: .pending
      case .denied: .denied
      case .approved, .redeeming, .redeemed: .approved
      }
    return DeviceGrantPayload(
      userCode: grant.userCode.description, deviceName: registration?.name ?? grant.ask.client,
      platform: registration?.platform ?? "unknown", clientID: grant.ask.client,
      address: grant.ask.address, requestedDateTime: grant.ask.requested,
      expirationDateTime: exchange.store.now.advanced(
        by: exchange.server.grants.remaining(grant)),
      state: state, isKnownDevice: isKnown)
  }

  private static func code(_ exchange: Exchange) -> String {
    exchange.parameters.get("code").flatMap { Route.unescaped($0) } ?? ""
  }
}
