internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// `POST /hooks/{name}`: any JSON that a service sends to a web hook, read with a template.
struct HookDialect: Dialect {
  static let endpoints = [HookDialect().endpoint(.post, "hooks/:name", .publish, publish)]

  private static let gitlabToken = HTTPField.Name("X-Gitlab-Token")!

  /// Returns the token from a header, or from the address for services that cannot send headers.
  func secret(in exchange: Exchange) throws -> AccessTokenSecret {
    let header = exchange.request.headers[Self.gitlabToken]
    let own = header.flatMap { Credentials.bearer("Bearer " + $0) }
    return try own ?? Credentials.anywhere(in: exchange)
  }

  func response(to failure: RequestError, requestID: String, date: Timestamp) -> Response {
    GraphDialect().response(to: failure, requestID: requestID, date: date)
  }

  private static func publish(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    let name = exchange.parameters.get("name").flatMap { Route.unescaped($0) } ?? ""
    guard let template = exchange.configuration.templates[name] ?? HookTemplate.ready[name] else {
      throw RequestError.notFound(
        "No template has this name. Define it in the store's configuration under templates, "
          + "or use one of " + HookTemplate.ready.keys.sorted().joined(separator: ", ") + ".")
    }
    return try await exchange.withBody(bytesMax: exchange.configuration.operationsBodyBytesMax) {
      try await publish($0, by: template, named: name, exchange, principal)
    }
  }

  private static func publish(
    _ body: ByteBuffer, by template: HookTemplate, named name: String, _ exchange: Exchange,
    _ principal: Principal
  ) async throws -> Response {
    let members = try FormBody.members(
      of: body, contentType: exchange.request.headers[.contentType],
      depthMax: exchange.configuration.jsonDepthMax)
    var value = JSONValue.object(members)
    // GitHub's other encoding: a form that contains the JSON.
    if members.count == 1, let payload = members["payload"]?.text,
      let inner = try? JSONValue(
        parsing: Array(payload.utf8), depthMax: exchange.configuration.jsonDepthMax)
    {
      value = inner
    }
    let app = template.app ?? principal.onlyApp ?? name
    let content = template.content(
      app: app, HookInput(body: value, headers: exchange.request.headers),
      limits: exchange.store.limits)
    let published = try await Publishing.publish(
      content, isQuiet: false, fingerprint: [Array(name.utf8), value.bytes], exchange, principal)
    return try .json(.ok, ["id": .string(published.item.id.description)] as JSONValue)
  }
}
