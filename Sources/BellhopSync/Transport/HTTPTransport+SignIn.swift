import AsyncHTTPClient
import BellhopModel
package import BellhopWire
import NIOCore
import NIOHTTP1

/// Requests for this device's token (RFC 8628 and RFC 8693). They are sent without a token.
extension HTTPTransport {
  /// Returns where the store's users sign in, or nil if it has no identity provider.
  package func identityProvider() async throws(TransportError) -> ResourceMetadataPayload? {
    do {
      var request = request(.GET, .resourceMetadata)
      request.headers.add(name: "Accept", value: "application/json")
      let response = try await perform(request, deadline: .now() + Limits.request)
      switch response.status.code {
      case 200:
        let bytes = try await response.body.collect(upTo: Limits.answerBytesMax)
        return try WireJSON.decode(ResourceMetadataPayload.self, from: bytes.readableBytesView)
      case 404, 405: return nil
      default: throw try await failure(response, of: .resourceMetadata)  // open: UInt
      }
    } catch {
      throw await explained(error)
    }
  }

  /// Requests a code that a user approves on another device.
  package func authorizeDevice(
    channel: ChannelType
  ) async throws(TransportError) -> DeviceAuthorizationPayload {
    switch try await post(
      DeviceAuthorizationPayload.self, .deviceAuthorization, registration(channel))
    {
    case .success(let answer): return answer
    case .refused(let error, let message):
      throw .forbidden(message ?? error.rawValue)
    }
  }

  /// Asks whether a user has approved this device.
  package func pollToken(
    _ deviceCode: String
  ) async -> SignInWait<AccessTokenPayload>.Answer {
    do throws(TransportError) {
      let answer = try await post(
        AccessTokenPayload.self, .token,
        [
          (OAuthParameter.grantType, OAuthGrantType.deviceCode.rawValue),
          (OAuthParameter.deviceCode, deviceCode),
          (OAuthParameter.clientID, OAuthClient.bellhop),
        ])
      switch answer {
      case .success(let token): return .token(token)
      case .refused(let error, let message): return .refused(error, message)
      }
    } catch {
      return .failed(error)
    }
  }

  /// Exchanges an enrol token for this device's own token.
  ///
  /// - Throws: ``TransportError/forbidden(_:)`` if the token is not accepted.
  package func exchange(
    enrolToken: String, channel: ChannelType
  ) async throws(TransportError) -> AccessTokenPayload {
    let answer = try await post(
      AccessTokenPayload.self, .token,
      [
        (OAuthParameter.grantType, OAuthGrantType.tokenExchange.rawValue),
        (OAuthParameter.subjectToken, enrolToken),
        (OAuthParameter.subjectTokenType, OAuthGrantType.accessTokenType),
      ] + registration(channel))
    switch answer {
    case .success(let token): return token
    case .refused(let error, let message): throw .forbidden(message ?? error.rawValue)
    }
  }

  private func registration(_ channel: ChannelType) -> [(name: String, value: String)] {
    var form: [(name: String, value: String)] = [
      (OAuthParameter.clientID, OAuthClient.bellhop),
      (OAuthParameter.deviceID, configuration.device.rawValue),
      (OAuthParameter.deviceName, configuration.deviceName),
      (OAuthParameter.devicePlatform, configuration.platform),
      (OAuthParameter.deviceChannel, channel.rawValue),
    ]
    if let environment = configuration.environment.written {
      form.append((OAuthParameter.deviceEnvironment, environment.rawValue))
    }
    return form
  }

  private enum OAuthAnswer<Payload> {
    case success(Payload)
    case refused(OAuthErrorCode, String?)
  }

  /// Sends a form. Returns an OAuth refusal as an answer, and throws any other failure.
  private func post<Payload: Decodable>(
    _ type: Payload.Type, _ route: Route, _ form: [(name: String, value: String)]
  ) async throws(TransportError) -> OAuthAnswer<Payload> {
    do {
      var request = request(.POST, route)
      request.headers.add(name: "Accept", value: "application/json")
      request.headers.add(name: "Content-Type", value: FormCoding.contentType)
      request.body = .bytes(ByteBuffer(string: FormCoding.encode(form)))
      let response = try await perform(request, deadline: .now() + Limits.request)
      switch response.status.code {
      case 200..<300:
        let bytes = try await response.body.collect(upTo: Limits.answerBytesMax)
        return .success(try WireJSON.decode(type, from: bytes.readableBytesView))
      case 400, 401:
        let bytes = try await response.body.collect(upTo: Limits.errorBytesMax)
        let refusal = try WireJSON.decode(OAuthErrorPayload.self, from: bytes.readableBytesView)
        return .refused(refusal.error, refusal.description.map { String($0.prefix(512)) })
      case 404, 405:
        throw TransportError.badAnswer("the server does not support device authorization")
      default: throw try await failure(response, of: route)  // open: UInt
      }
    } catch {
      throw await explained(error)
    }
  }
}
