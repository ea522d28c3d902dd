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
    let user = principal.user.id
    let found = try await exchange.server.grants.grant(code(exchange), for: user)
    return try .json(.ok, try await describe(found.grant, found.code, for: user, exchange))
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
    let decided = try await exchange.server.grants.decide(
      code, isApproved: decision == .approve, by: user)
    let payload = try await describe(decided.grant, decided.code, for: user, exchange)
    guard (payload.state == .approved) == (decision == .approve) else {
      throw RequestError(
        .conflict, .nameAlreadyExists, "This device was already \(payload.state.rawValue).")
    }
    exchange.logger.notice("a device was \(payload.state.rawValue)")
    return payload
  }

  /// Returns the grant as shown to the users who may decide.
  static func describe(
    _ grant: DeviceGrant, _ code: UserCode, for user: UserID, _ exchange: Exchange
  ) async throws -> DeviceGrantPayload {
    let request = grant.request
    let registration = request.registration
    var isKnown = false
    if let registration {
      isKnown = try await exchange.store.devices(of: user).contains { $0.id == registration.id }
    }
    let state: DeviceGrantPayload.State =
      switch grant.state {
      case .pending: .pending
      case .denied: .denied
      case .approved, .redeemed: .approved
      }
    return DeviceGrantPayload(
      userCode: code.description, deviceName: registration?.name ?? request.client,
      platform: registration?.platform ?? "unknown", clientID: request.client,
      address: request.address, requestedDateTime: grant.requested,
      expirationDateTime: grant.expires, state: state, isKnownDevice: isKnown)
  }

  private static func code(_ exchange: Exchange) -> String {
    exchange.parameters.get("code").flatMap { Route.unescaped($0) } ?? ""
  }
}
