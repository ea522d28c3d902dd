internal import AsyncHTTPClient
package import BellhopIdentity
internal import BellhopModel
internal import BellhopNetwork
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// The HTTP client for an identity provider's documents.
///
/// It requires TLS 1.2 or newer with a verified host, follows no redirects, and limits the size and
/// the time of each response.
package final class ProviderHTTP: ProviderFetching {
  private let client: HTTPClient

  /// - Parameter authorityFile: Certificates in PEM to trust in addition to the system's.
  /// - Throws: ``ServerError/failed(reason:)`` when the file contains none.
  package init(authorityFile: String? = nil) throws {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if let authorityFile {
      do {
        let certificates = try NIOSSLCertificate.fromPEMFile(authorityFile)
        tls.additionalTrustRoots = [.certificates(certificates)]
      } catch {
        throw ServerError.failed(reason: "\(authorityFile) contains no PEM certificates")
      }
    }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(5), read: .seconds(10)))
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  deinit { client.shutdown { _ in } }

  package func get(
    _ url: String, entityTag: String?, bytesMax: Int, within limit: Duration
  ) async throws(ProviderError) -> ProviderAnswer {
    do {
      var request = HTTPClientRequest(url: url)
      request.headers.add(name: "Accept", value: "application/json")
      request.headers.add(name: "User-Agent", value: "bellhopd")
      if let entityTag { request.headers.add(name: "If-None-Match", value: entityTag) }
      let deadline = NIODeadline.now() + .milliseconds(limit.milliseconds)
      let response = try await client.execute(request, deadline: deadline)
      let body = try await response.body.collect(upTo: bytesMax)
      var headers: [String: String] = [:]
      for (name, value) in response.headers { headers[name.lowercased()] = value }
      return ProviderAnswer(
        status: Int(response.status.code), headers: headers, body: Array(body.readableBytesView))
    } catch is NIOTooManyBytesError {
      throw .badAnswer("it is longer than \(bytesMax) bytes")
    } catch {
      guard let peer = NetworkPeer(url: url) else {
        throw .unreachable("its address is not a valid URL")
      }
      throw .unreachable(NetworkError(error, at: peer).description)
    }
  }
}
