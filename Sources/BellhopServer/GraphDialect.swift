package import BellhopModel
package import BellhopStore
internal import BellhopWire
internal import HTTPTypes
package import Hummingbird
internal import NIOCore

/// The native interface: Microsoft Graph's conventions.
package struct GraphDialect: Dialect {
  package init() {}

  package func secret(in exchange: Exchange) throws -> AccessTokenSecret {
    guard let header = exchange.request.headers[.authorization] else {
      throw RequestError.unauthenticated("send Authorization: Bearer with an access token")
    }
    guard let secret = Credentials.bearer(header) else {
      throw RequestError.unauthenticated("expected Authorization: Bearer with an access token")
    }
    return secret
  }

  package func response(to failure: RequestError, requestID: String, date: Timestamp) -> Response {
    let payload = ErrorPayload(
      code: failure.code, message: failure.message, requestID: requestID, date: date,
      expectedSequence: failure.expectedSequence,
      revocation: failure.revocation.map { RevocationPayload(at: $0.at, by: $0.by) })
    let response = try? Response.json(failure.status, payload, headers: failure.headers)
    return response ?? Response(status: failure.status, headers: failure.headers)
  }
}
