package import BellhopModel
internal import BellhopWire
internal import HTTPTypes

/// One request of an administration command, with the type of its response.
package struct AdminRequest<Answer: Decodable & Sendable>: Sendable {
  var method: HTTPRequest.Method
  var path: String
  var body: [UInt8] = []

  init(_ method: HTTPRequest.Method, _ path: String) {
    self.method = method
    self.path = "/admin/" + path
  }

  /// - Throws: ``AdminError`` only for values that JSON cannot represent.
  init(_ method: HTTPRequest.Method, _ path: String, _ payload: some Encodable) throws {
    self.init(method, path)
    body = try WireJSON.encode(payload)
  }
}

extension AdminRequest<[UserPayload]> {
  /// All users, in the order in which they were added.
  package static var users: Self { Self(.get, "users") }
}

extension AdminRequest<UserPayload> {
  package static func addUser(_ name: String) throws -> Self {
    try Self(.post, "users", NewUserPayload(name: name))
  }
}

extension AdminRequest<CountPayload> {
  /// Removes a user and all of the user's data. The response counts the rows.
  package static func removeUser(_ name: String) -> Self {
    Self(.delete, "users/" + Route.escaped(name))
  }

  /// Removes the user's subject at an issuer, so that another subject may become the user.
  package static func forgetSubject(of user: String, at issuer: String) -> Self {
    Self(.delete, "users/\(Route.escaped(user))/subjects/\(Route.escaped(issuer))")
  }

  /// Revokes the only token whose id begins with a prefix.
  package static func revokeToken(_ prefix: String) -> Self {
    Self(.delete, "tokens/" + Route.escaped(prefix))
  }

  /// Ends a device's registration and revokes its tokens.
  package static func revokeDevice(_ id: DeviceID, of user: String) -> Self {
    Self(.delete, "users/\(Route.escaped(user))/devices/\(Route.escaped(id.rawValue))")
  }
}

extension AdminRequest<[TokenPayload]> {
  /// Lists the tokens of one user, or of all users.
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
  /// Returns the device that waits with a code, for a user who may approve it.
  package static func waitingDevice(_ code: String, for user: String) -> Self {
    Self(.get, path(code, user))
  }

  /// Approves or rejects the device that waits with a code, for a user.
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
  /// Requests a sweep now.
  ///
  /// - Parameter confirmsClock: Whether the store trusts wall-clock time from now on.
  package static func expire(confirmsClock: Bool) throws -> Self {
    try Self(.post, "expire", SweepOrderPayload(confirmsClock: confirmsClock))
  }
}

extension AdminRequest<ReloadPayload> {
  /// A reload of the files that may change while the store is serving.
  package static var reload: Self { Self(.post, "reload") }
}

extension AdminRequest<StatsPayload> {
  /// The size of the store.
  package static var stats: Self { Self(.get, "stats") }
}
