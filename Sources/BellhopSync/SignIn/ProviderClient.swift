import AsyncHTTPClient
package import BellhopModel
import BellhopNetwork
package import BellhopWire
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// The endpoints where a provider signs devices in and renews their tokens.
///
/// See OpenID Connect Discovery 1.0, RFC 8414 §2 and RFC 8628 §4.
package struct ProviderEndpoints: Hashable, Sendable {
  package let issuer: String
  package let deviceAuthorization: String
  package let token: String
}

/// The parameters of a device's sign-in at a provider.
package struct ProviderRequest: Hashable, Sendable {
  package var clientID: String
  package var scope: String
  /// The resource that the tokens are for (RFC 8707).
  package var resource: String?

  package init(clientID: String, scope: String, resource: String?) {
    self.clientID = clientID
    self.scope = scope
    self.resource = resource
  }
}

/// A client of an identity provider.
///
/// It uses TLS to other machines and plain HTTP to this one. It follows no redirects, and limits
/// the size and the time of every answer. Tokens go to the endpoints that the issuer itself names.
package final class ProviderClient: TokenRenewing {
  private enum Limits {
    static let answerBytesMax = 256 << 10
    static let connect: TimeAmount = .seconds(10)
    static let request: TimeAmount = .seconds(15)
    /// The time limit for inspecting a certificate that was refused.
    static let inspection: Duration = .seconds(10)
  }

  private let authorityFile: String?
  private let localTime: @Sendable () -> Timestamp
  private let client = Mutex<HTTPClient?>(nil)

  /// Creates a client that connects with the first request.
  ///
  /// - Parameters:
  ///   - authorityFile: A PEM file of certificates that are trusted in addition to the system's.
  ///   - localTime: This machine's clock, to tell whether a certificate is out of date.
  package init(authorityFile: String?, localTime: @escaping @Sendable () -> Timestamp) {
    self.authorityFile = authorityFile
    self.localTime = localTime
  }

  deinit { client.withLock { $0.take() }?.shutdown { _ in } }

  private func makeClient() -> HTTPClient {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if let authorityFile { tls.additionalTrustRoots = [.file(authorityFile)] }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: Limits.connect, read: Limits.request))
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  // MARK: Calls

  /// Requests an issuer's endpoints.
  ///
  /// - Throws: ``TransportError/provider(_:)`` if the answer is another issuer's, or if the issuer
  ///   does not support device authorization.
  package func endpoints(of issuer: String) async throws(TransportError) -> ProviderEndpoints {
    guard ProviderAddress.isIssuer(issuer) else {
      throw .provider("\(issuer.prefix(64)) is not the https address of an identity provider")
    }
    var request = HTTPClientRequest(url: ProviderAddress.configuration(of: issuer))
    request.method = .GET
    let (status, body) = try await perform(request)
    guard status == 200 else {
      throw Self.failure(status, "it is not an OpenID Connect issuer (status \(status))")
    }
    let document: Document = try Self.decoded(body)
    guard document.issuer == issuer else {
      throw .provider(
        "the identity provider names another issuer than \(issuer.prefix(256))")
    }
    guard let device = document.deviceAuthorization else {
      throw .provider("the identity provider does not support device authorization (RFC 8628)")
    }
    guard ProviderAddress.isAllowed(device, by: issuer),
      ProviderAddress.isAllowed(document.token, by: issuer)
    else { throw .provider("the identity provider's endpoints are not encrypted") }
    return ProviderEndpoints(issuer: issuer, deviceAuthorization: device, token: document.token)
  }

  /// Requests a code that the user enters at the provider.
  ///
  /// - Throws: ``TransportError/provider(_:)`` with the provider's message if it refuses.
  package func authorizeDevice(
    _ request: ProviderRequest, at endpoints: ProviderEndpoints
  ) async throws(TransportError) -> DeviceAuthorizationPayload {
    var form = [(OAuthParameter.clientID, request.clientID), (OAuthParameter.scope, request.scope)]
    if let resource = request.resource { form.append((OAuthParameter.resource, resource)) }
    let (status, body) = try await post(
      form, to: endpoints.deviceAuthorization, of: endpoints.issuer)
    guard status == 200 else {
      guard let refusal = Self.refusal(status, body) else {
        throw Self.failure(status, "it refused to sign this device in (status \(status))")
      }
      throw .provider(
        "the identity provider refused the sign-in: "
          + (refusal.description ?? refusal.error.rawValue))
    }
    return try Self.decoded(body)
  }

  /// Asks whether the user has approved the device.
  package func poll(
    _ deviceCode: String, _ request: ProviderRequest, at endpoints: ProviderEndpoints
  ) async -> SignInWait<ProviderTokenAnswer>.Answer {
    var form = [
      (OAuthParameter.grantType, OAuthGrantType.deviceCode.rawValue),
      (OAuthParameter.deviceCode, deviceCode), (OAuthParameter.clientID, request.clientID),
    ]
    if let resource = request.resource { form.append((OAuthParameter.resource, resource)) }
    do throws(TransportError) {
      let (status, body) = try await post(form, to: endpoints.token, of: endpoints.issuer)
      if status == 200 { return .token(try Self.decoded(body)) }
      guard let refusal = Self.refusal(status, body) else {
        throw Self.failure(status, "it refused to sign this device in (status \(status))")
      }
      return .refused(refusal.error, refusal.description)
    } catch {
      return .failed(error)
    }
  }

  package func renew(_ signIn: ProviderSignIn) async throws(TransportError) -> TokenRenewal {
    guard let refreshToken = signIn.refreshToken else { return .refused(.final) }
    var form = [
      (OAuthParameter.grantType, OAuthGrantType.refreshToken.rawValue),
      (OAuthParameter.refreshToken, refreshToken), (OAuthParameter.clientID, signIn.clientID),
    ]
    if let resource = signIn.resource { form.append((OAuthParameter.resource, resource)) }
    let (status, body) = try await post(form, to: signIn.tokenEndpoint, of: signIn.issuer)
    switch status {
    case 200: return .renewed(try Self.decoded(body))
    case 400, 401:
      switch Self.refusal(status, body)?.error {
      case .invalidGrant?: return .refused(.final)
      case .temporarilyUnavailable?, .serverError?:
        throw .providerOffline("it is temporarily unavailable")
      // Some providers refuse without a message.
      default: return .refused(.unclear)  // open: OAuthErrorCode?
      }
    default: throw Self.failure(status, "it answered \(status)")  // open: Int
    }
  }

  // MARK: Requests

  private func post(
    _ form: [(String, String)], to url: String, of issuer: String
  ) async throws(TransportError) -> (status: Int, body: [UInt8]) {
    guard ProviderAddress.isAllowed(url, by: issuer) else {
      throw .provider("the identity provider's endpoints are not encrypted")
    }
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: FormCoding.contentType)
    request.body = .bytes(
      ByteBuffer(string: FormCoding.encode(form.map { (name: $0.0, value: $0.1) })))
    return try await perform(request)
  }

  private func perform(
    _ request: HTTPClientRequest
  ) async throws(TransportError) -> (status: Int, body: [UInt8]) {
    var request = request
    request.headers.add(name: "Accept", value: "application/json")
    request.headers.add(name: "User-Agent", value: "bellhop")
    do {
      let deadline = NIODeadline.now() + Limits.request
      let client = client.withLock { client in
        let made = client ?? makeClient()
        client = made
        return made
      }
      let response = try await client.execute(request, deadline: deadline)
      let body = try await response.body.collect(upTo: Limits.answerBytesMax)
      return (Int(response.status.code), Array(body.readableBytesView))
    } catch {
      throw await explained(error, of: request.url)
    }
  }

  private func explained(_ error: any Error, of url: String) async -> TransportError {
    guard let peer = NetworkPeer(url: url) else {
      return .provider("the identity provider's endpoints are not valid addresses")
    }
    switch TransportError(transportFailure: error, at: peer, authorityFile: authorityFile) {
    case .offline(let failure):
      let cause = await failure.diagnosed(now: localTime(), within: Limits.inspection)
      return .providerOffline(cause.description)
    case .timedOut: return .providerOffline("it did not answer in time")
    case .cancelled: return .cancelled
    case .badAnswer(let reason):
      return .provider("the identity provider's response is not valid: \(reason)")
    case let failure: return .provider("the identity provider: \(failure.description)")
    }
  }

  private static func decoded<Value: Decodable>(
    _ body: [UInt8]
  ) throws(TransportError) -> Value {
    do throws(WireError) {
      return try WireJSON.decode(Value.self, from: body)
    } catch {
      throw .provider(
        "the identity provider's response is not valid: \(error.description.clause)")
    }
  }

  private static func refusal(_ status: Int, _ body: [UInt8]) -> OAuthErrorPayload? {
    guard (400..<500).contains(status),
      var refusal = try? WireJSON.decode(OAuthErrorPayload.self, from: body)
    else { return nil }
    refusal.description = refusal.description.map { String($0.prefix(512)) }
    return refusal
  }

  /// Returns the error for a failure status. A provider in trouble is asked again later.
  private static func failure(_ status: Int, _ words: String) -> TransportError {
    status >= 500 || status == 429
      ? .providerOffline("it answered \(status)")
      : .provider("the identity provider cannot be used: \(words)")
  }

  private struct Document: Decodable {
    var issuer: String
    var token: String
    var deviceAuthorization: String?

    private enum CodingKeys: String, CodingKey {
      case issuer
      case token = "token_endpoint"
      case deviceAuthorization = "device_authorization_endpoint"
    }
  }
}
