internal import HTTPTypes
internal import Hummingbird

/// `GET /openapi.json`: the description of the native interface.
enum OpenAPIEndpoint {
  static let endpoints = [Endpoint.open(.get, "openapi.json", handle)]

  private static func handle(_ exchange: Exchange) async throws -> Response {
    let text = exchange.server.description.text
    var headers: HTTPFields = [.eTag: text.entityTag, .cacheControl: "no-cache"]
    if let known = exchange.request.headers[.ifNoneMatch],
      EntityTags(known).match(text.entityTag)
    {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = "application/json"
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: text.body))
  }
}
