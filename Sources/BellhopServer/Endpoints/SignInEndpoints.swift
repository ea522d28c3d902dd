internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// `/oauth`: device authorization for a device without a token (RFC 8628).
///
/// Also serves the metadata of these endpoints (RFC 8414).
enum SignInEndpoints {
  static let endpoints = [
    Endpoint.open(
      .post, "oauth/device_authorization", dialect: OAuthDialect(), authorizeDevice
    ).described(
      .init(
        id: "authorizeDevice", summary: "Request a code to sign in a device (RFC 8628).",
        body: Schemas.form("DeviceAuthorizationForm"),
        answers: [.init(200, "The codes.", .json("DeviceAuthorization"))]
          + Schemas.oauthRefusals("The form is not valid, or the client is unknown."))),
    Endpoint.open(.post, "oauth/token", dialect: OAuthDialect(), token).described(
      .init(
        id: "token", summary: "Exchange a device code or an enrol token for a device's token.",
        body: Schemas.form("TokenForm"),
        answers: [.init(200, "The token.", .json("AccessToken"))]
          + Schemas.oauthRefusals("Not yet decided, denied, expired, or a form that is not valid."))
    ),
    Endpoint.open(.get, "oauth/device", page),
    Endpoint.open(.get, ".well-known/oauth-authorization-server", metadata).described(
      .init(
        id: "authorizationServer", summary: "Where devices sign in (RFC 8414).",
        answers: [.init(200, "The endpoints.", .json("AuthorizationServer"))])),
  ]

  // MARK: - The device

  private static func authorizeDevice(_ exchange: Exchange) async throws -> Response {
    let form = try await Form(exchange)
    let client = try form.client(exchange.configuration)
    if let scope = form[OAuthParameter.scope], scope != "device" {
      throw RequestError.oauth(.invalidScope, "The scope is wrong: expected device, or none.")
    }
    let registration = try form.registration(exchange.store)
    let origin = exchange.origin
    let opened = try await exchange.server.grants.open(
      DeviceGrantRequest(
        client: client, registration: registration, address: origin.text,
        network: origin.network.key, site: origin.network.site.key))
    exchange.logger.info(
      "a device requests to sign in", metadata: ["address": .string(origin.text)])
    let code = opened.userCode.description
    return try .json(
      .ok,
      DeviceAuthorizationPayload(
        deviceCode: opened.deviceCode, userCode: code,
        verificationURI: exchange.linkBase + Route.signInPage(code: nil).path,
        verificationURIComplete: exchange.linkBase + Route.signInPage(code: code).path,
        expiresInSeconds: opened.lifeSeconds, intervalSeconds: opened.intervalSeconds))
  }

  private static func token(_ exchange: Exchange) async throws -> Response {
    let form = try await Form(exchange)
    let signedIn: SignedIn
    var issued: String?
    switch try OAuthGrantType(form.required(OAuthParameter.grantType)) {
    case .deviceCode:
      signedIn = try await exchange.server.grants.redeem(
        form.required(OAuthParameter.deviceCode), client: form.client(exchange.configuration))
    case .tokenExchange:
      issued = OAuthGrantType.accessTokenType
      signedIn = try await enrol(form, exchange)
    default:  // open: OAuthGrantType
      throw RequestError.oauth(
        .unsupportedGrantType,
        "The grant_type is wrong: expected \(OAuthGrantType.deviceCode) or "
          + "\(OAuthGrantType.tokenExchange).")
    }
    exchange.logger.notice(
      "a device was signed in",
      metadata: ["token-id": .string(signedIn.minted.token.id.description)])
    return try .json(
      .ok,
      AccessTokenPayload(
        accessToken: signedIn.minted.secret.text, scope: "device", issuedTokenType: issued,
        user: signedIn.user.name, deviceID: signedIn.device?.id),
      headers: [.pragma: "no-cache"])
  }

  /// Exchanges an enrol token for the token of a device (RFC 8693).
  private static func enrol(_ form: Form, _ exchange: Exchange) async throws -> SignedIn {
    let client = try form.client(exchange.configuration)
    let kind = try form.required(OAuthParameter.subjectTokenType)
    guard kind == OAuthGrantType.accessTokenType else {
      throw RequestError.oauth(
        .invalidRequest,
        "The subject_token_type is wrong: expected \(OAuthGrantType.accessTokenType).")
    }
    let registration = try form.registration(exchange.store)
    do {
      return try await exchange.store.enrol(
        AccessTokenSecret(form.required(OAuthParameter.subjectToken)), registration,
        named: client)
    } catch let error as StoreError {
      guard let problem = error.enrolProblem else { throw error }
      throw RequestError.oauth(.invalidGrant, problem)
    }
  }

  // MARK: - Page and metadata

  private static func metadata(_ exchange: Exchange) async throws -> Response {
    try .json(.ok, AuthorizationServerPayload(base: exchange.linkBase))
  }

  /// Responds with the command to run.
  ///
  /// The page has no form, because users type codes on a device that is signed in already.
  private static func page(_ exchange: Exchange) async throws -> Response {
    let code =
      exchange.query["user_code"].flatMap { UserCode($0) }.map(\.description) ?? "CODE"
    let accepts = exchange.request.headers[.accept] ?? ""
    let isHTML = accepts.contains("text/html")
    let text =
      isHTML
      ? """
      <!doctype html>
      <html lang="en"><meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>Sign in a device</title>
      <h1>Sign in a device</h1>
      <p>On a device that is already signed in, run</p>
      <pre>bellhop devices approve \(code)</pre>
      <p>It shows the request before you approve it. An administrator can also run, on the store's
      machine:</p>
      <pre>bellhopd device approve \(code) --user NAME</pre>
      <p>If you did not request this, do nothing. The code expires in a few minutes.</p>
      </html>

      """
      : """
      Sign in a device

      On a device that is already signed in, run

        bellhop devices approve \(code)

      It shows the request before you approve it. An administrator can also run, on the
      store's machine:

        bellhopd device approve \(code) --user NAME

      If you did not request this, do nothing. The code expires in a few minutes.

      """
    return Response(
      status: .ok,
      headers: [
        .contentType: (isHTML ? "text/html" : "text/plain") + "; charset=utf-8",
        .cacheControl: "no-store", .vary: "Accept",
        HTTPField.Name("Content-Security-Policy")!: "default-src 'none'; frame-ancestors 'none'",
        HTTPField.Name("Referrer-Policy")!: "no-referrer",
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}

/// The form in the body of a request to OAuth's endpoints.
private struct Form {
  private var parameters: [String: String]

  /// - Throws: ``RequestError`` with `invalid_request` for a body that is not a single form.
  init(_ exchange: Exchange) async throws {
    let type = exchange.request.headers[.contentType]?.prefix { $0 != ";" }.trimmed.lowercased()
    guard type == FormCoding.contentType else {
      throw RequestError.oauth(
        .invalidRequest, "The Content-Type is wrong: expected \(FormCoding.contentType).")
    }
    let body = try await exchange.withBody(bytesMax: Self.bytesMax) {
      String(validating: $0.readableBytesView, as: UTF8.self)
    }
    guard let text = body else {
      throw RequestError.oauth(.invalidRequest, "The body is wrong: expected UTF-8.")
    }
    do throws(FormCoding.FormatError) {
      parameters = try FormCoding.decode(text)
    } catch {
      switch error {
      case .malformed:
        throw RequestError.oauth(.invalidRequest, "The body is wrong: a %-escape is not valid.")
      case .repeated:
        throw RequestError.oauth(.invalidRequest, "The body is wrong: a parameter occurs twice.")
      }
    }
  }

  /// A limit above the size of all parameters together.
  private static let bytesMax = 8192

  subscript(name: String) -> String? { parameters[name] }

  func required(_ name: String) throws -> String {
    guard let value = parameters[name] else {
      throw RequestError.oauth(.invalidRequest, "\(name) is missing.")
    }
    return value
  }

  /// Returns the client, if it may sign in devices.
  func client(_ configuration: ServerConfiguration) throws -> String {
    let client = try required(OAuthParameter.clientID)
    guard configuration.signInClients.contains(client) else {
      throw RequestError.oauth(.invalidClient, "The client_id is not known to this store.")
    }
    return client
  }

  /// Returns the registration of the device; nil if the form names none.
  func registration(_ store: StoreService) throws -> DeviceRegistration? {
    guard let id = parameters[OAuthParameter.deviceID] else { return nil }
    var environment = RegistrationEnvironment.production
    if let word = parameters[OAuthParameter.deviceEnvironment] {
      guard let known = RegistrationEnvironment(rawValue: word) else {
        throw RequestError.oauth(
          .invalidRequest, "device_environment is wrong: expected development or production.")
      }
      environment = known
    }
    let registration = DeviceRegistration(
      id: DeviceID(id), name: parameters[OAuthParameter.deviceName] ?? id,
      platform: parameters[OAuthParameter.devicePlatform] ?? "unknown",
      channel: parameters[OAuthParameter.deviceChannel].flatMap { DeviceChannel(rawValue: $0) }
        ?? .polling,
      environment: environment)
    do {
      try store.check(registration)
    } catch StoreError.invalid(let field, let expectation) {
      throw RequestError.oauth(
        .invalidRequest, "device_\(field) is wrong: expected \(expectation).")
    }
    return registration
  }
}

extension StoreError {
  /// The problem with the enrol token, as a sentence; nil for a failure with another cause.
  fileprivate var enrolProblem: String? {
    switch self {
    case .revoked: "The enrol token was already used, or was revoked."
    case .unauthenticated(let reason): "The subject_token is not accepted: \(reason)."
    case .accessDenied: "The subject_token is not an enrol token."
    case .invalid, .notFound, .alreadyExists, .modified, .idempotencyConflict, .resyncRequired,
      .outboxGap, .outboxDiverged, .notSupported, .busy, .tooManyStreams, .tooManyLists,
      .tooManySubscriptions, .quotaReached, .tooManyRequests, .storageFull, .newerSchema,
      .moved, .unfinishedCopy, .inUse, .outcomeUnknown, .unavailable:
      nil
    }
  }
}
