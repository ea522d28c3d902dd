package import BellhopModel
internal import BellhopWire
internal import HTTPTypes

/// One request of an administration command, with the type of its answer.
package struct AdminRequest<Answer: Decodable & Sendable>: Sendable {
  var method: HTTPRequest.Method
  var path: String
  var body: [UInt8] = []

  init(_ method: HTTPRequest.Method, _ path: String) {
    self.method = method
    self.path = "/admin/" + path
  }

  /// - Throws: ``AdminRefusal`` only for values JSON can't hold.
  init(_ method: HTTPRequest.Method, _ path: String, _ payload: some Encodable) throws {
    self.init(method, path)
    body = try WireJSON.encode(payload)
  }
}

extension AdminRequest<[UserPayload]> {
  /// All users, in the order they were added.
  package static var users: Self { Self(.get, "users") }
}

extension AdminRequest<UserPayload> {
  package static func addUser(_ name: String) throws -> Self {
    try Self(.post, "users", NewUserPayload(name: name))
  }
}

extension AdminRequest<CountPayload> {
  /// Removes a user with everything of theirs; the answer counts rows.
  package static func removeUser(_ name: String) -> Self {
    Self(.delete, "users/" + Route.escaped(name))
  }

  /// Lets another person of this issuer become the user.
  package static func forgetSubject(of user: String, at issuer: String) -> Self {
    Self(.delete, "users/\(Route.escaped(user))/subjects/\(Route.escaped(issuer))")
  }

  /// Revokes the one token whose id begins so.
  package static func revokeToken(_ prefix: String) -> Self {
    Self(.delete, "tokens/" + Route.escaped(prefix))
  }

  /// Ends a device's registration and revokes its tokens.
  package static func revokeDevice(_ id: DeviceID, of user: String) -> Self {
    Self(.delete, "users/\(Route.escaped(user))/devices/\(Route.escaped(id.rawValue))")
  }
}

extension AdminRequest<[TokenPayload]> {
  /// Tokens of one user, or of all.
  package static func tokens(of user: String?) -> Self {
    Self(.get, user.map { "users/\(Route.escaped($0))/tokens" } ?? "tokens")
  }
}

extension AdminRequest<MintedTokenPayload> {
  package static func mint(_ token: NewTokenPayload) throws -> Self {
    try Self(.post, "tokens", token)
  }
}

extension AdminRequest<[UserDevicePayload]> {
  package static func devices(of user: String) -> Self {
    Self(.get, "users/\(Route.escaped(user))/devices")
  }
}

extension AdminRequest<WaitingDevicePayload> {
  /// The device that waits with a code, for a user who may let it in.
  package static func waitingDevice(_ code: String, for user: String) -> Self {
    Self(.get, path(code, user))
  }

  /// Lets the device that waits with a code in for a user, or turns it away.
  package static func decide(
    _ code: String, isApproved: Bool, for user: String
  ) throws -> Self {
    try Self(
      .post, path(code, user), DeviceGrantDecisionPayload(isApproved ? .approve : .deny))
  }

  private static func path(_ code: String, _ user: String) -> String {
    "users/\(Route.escaped(user))/grants/\(Route.escaped(code))"
  }
}

extension AdminRequest<SweepPayload> {
  /// One sweep, now.
  ///
  /// - Parameter confirmsClock: whether wall-clock time is believed from now on.
  package static func expire(confirmsClock: Bool) throws -> Self {
    try Self(.post, "expire", SweepOrderPayload(confirmsClock: confirmsClock))
  }
}

extension AdminRequest<ReloadPayload> {
  /// Read again what may change while it serves.
  package static var reload: Self { Self(.post, "reload") }
}

extension AdminRequest<StatsPayload> {
  /// How much the store holds.
  package static var stats: Self { Self(.get, "stats") }
}
