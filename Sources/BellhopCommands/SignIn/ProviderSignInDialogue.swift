internal import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import BellhopWire

/// A dialogue that shows an identity provider's address and code, and waits for the sign-in (RFC
/// 8628).
struct ProviderSignInDialogue: Sendable {
  /// The provider and the parameters of the request.
  struct Place: Sendable {
    var issuer: String
    var request: ProviderRequest
  }

  let account: Account
  let context: ClientContext
  let place: Place

  /// Returns the provider to sign in at; nil if another device of the user approves instead.
  ///
  /// - Throws: `ClientError`.
  static func place(
    _ account: Account, _ request: LoginRequest, _ context: ClientContext,
    _ transport: HTTPTransport
  ) throws -> Place? {
    if request.isByDevice { return nil }
    let named = try runBlocking {
      do throws(TransportError) {
        return try await transport.identityProvider()
      } catch {
        throw Commands.notSignedIn(error)
      }
    }
    // A store may accept a provider's tokens from publishers, but sign in devices itself.
    let isAsked = request.issuer != nil || request.clientID != nil
    guard isAsked || named?.clientID != nil else { return nil }
    guard let named, let issuer = request.issuer ?? named.authorizationServers.first,
      named.authorizationServers.contains(issuer)
    else {
      let issuer = request.issuer ?? "an identity provider"
      throw ClientError(
        .usage, "\(account.url) does not accept tokens from \(issuer.prefix(256)).",
        next:
          "Nothing was changed. Without --issuer, bellhop uses the provider that the store names.")
    }
    guard let client = request.clientID ?? named.clientID else {
      throw ClientError(
        .usage, "The store does not name a client id for \(issuer.prefix(256)).",
        next: "Nothing was changed. Ask the store's administrator, and use --client-id ID.")
    }
    try check(named, issuer, account, request, context)
    return Place(
      issuer: issuer,
      request: ProviderRequest(
        clientID: client, scope: named.requestedScope ?? "openid",
        resource: named.requestedResource))
  }

  /// Checks that the store requests only its own tokens, since its operator receives them.
  private static func check(
    _ named: ResourceMetadataPayload, _ issuer: String, _ account: Account,
    _ request: LoginRequest, _ context: ClientContext
  ) throws {
    if let resource = named.requestedResource,
      resource != account.url, !resource.hasPrefix(account.url + "/")
    {
      throw ClientError(
        .badData,
        "The store requests a token for another service: \(resource.prefix(256)), not "
          + "\(account.url).",
        next: "Nothing was changed. Inform the store's administrator, or sign in to that address.")
    }
    let known = try? context.accounts.signInFile(account.name).load()
    if request.issuer == nil, let known, known.issuer != issuer {
      throw ClientError(
        .notAllowed,
        "The store now names a different identity provider: \(issuer.prefix(256)).",
        next:
          "Nothing was changed. If that is correct: bellhop login --issuer \(issuer.prefix(256))"
      )
    }
  }

  /// Signs in at the provider, and registers the device with the store.
  ///
  /// - Throws: `ClientError`. Nothing is saved then.
  func run() throws -> Commands.SignedIn {
    let provider = ProviderClient(
      authorityFile: context.configuration.authorityFile, localTime: context.now)
    let (endpoints, authorization) = try runBlocking { [place] in
      do throws(TransportError) {
        let endpoints = try await provider.endpoints(of: place.issuer)
        return (endpoints, try await provider.authorizeDevice(place.request, at: endpoints))
      } catch {
        throw Commands.notSignedIn(error)
      }
    }
    let token = try SignInDialogue.wait(
      for: authorization, showing: { show(authorization) },
      poll: { [place] in await provider.poll($0, place.request, at: endpoints) })
    let signIn = ProviderSignIn(
      issuer: place.issuer, clientID: place.request.clientID, tokenEndpoint: endpoints.token,
      resource: place.request.resource, token, at: context.now())
    return Commands.SignedIn(account: try register(signIn), credential: .provider(signIn))
  }

  private func show(_ authorization: DeviceAuthorizationPayload) {
    let minutes = max(1, authorization.expiresInSeconds / 60)
    let page = authorization.verificationURIComplete ?? authorization.verificationURI
    if page.hasPrefix("http://") || page.hasPrefix("https://") {
      _ = QRCode(of: page, environment: context.environment)?
        .show(environment: context.environment)
    }
    // The code comes last, so that it stays visible on a small terminal.
    StandardError.say(
      """
      \(account.url) uses the identity provider \(place.issuer).
      To sign in \(account.deviceName), open this in a browser:
          \(authorization.verificationURI)
      and enter the code:
          \(authorization.userCode)
      Waiting for up to \(minutes) minute\(minutes == 1 ? "" : "s"). Ctrl-C gives up.
      """)
  }

  /// Registers the device, as a new one if it was revoked.
  ///
  /// The id of a revoked device is blocked for good if the provider does not distinguish sign-ins.
  private func register(_ signIn: ProviderSignIn) throws -> Account {
    var account = account
    for isLast in [false, true] {
      let transport = try Commands.transport(account, context, FixedToken { signIn.accessToken })
      let failure = try runBlocking { [context] () -> TransportError? in
        do throws(TransportError) {
          _ = try await transport.registerAsNew(channel: Commands.channel(context))
          return nil
        } catch {
          return error
        }
      }
      switch failure {
      case nil: return account
      case .revoked? where !isLast:
        account.device = DeviceID(PrivateStore.deviceID(for: account.deviceName))
      case .unauthorized?:
        throw ClientError(
          .notAllowed,
          "Not signed in: the store does not accept the token from \(place.issuer).",
          next: "Nothing was changed. Inform the store's administrator.")
      case let failure?: throw Commands.notSignedIn(failure)
      }
    }
    return account
  }
}
