import AsyncHTTPClient
package import BellhopWire
import NIOCore
import NIOHTTP1

extension HTTPTransport {
  /// Returns the store's report on its health. Needs no token.
  ///
  /// A store that is not ready answers with the reason.
  package func health() async throws(TransportError) -> HealthPayload {
    do {
      let response = try await perform(request(.GET, .health), deadline: .now() + Limits.request)
      guard response.status == .ok else { throw try await failure(response, of: .health) }
      let bytes = try await response.body.collect(upTo: Limits.answerBytesMax)
      return try WireJSON.decode(HealthPayload.self, from: bytes.readableBytesView)
    } catch {
      throw await explained(error)
    }
  }
}
