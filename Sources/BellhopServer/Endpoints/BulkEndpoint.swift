internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// `POST /v1.0/me/notifications/bulk`: many publications, a line of JSON each, in one transaction.
///
/// The response has a line for each publication, in order. A refused line does not affect the
/// others.
enum BulkEndpoint {
  static let endpoints = [
    Endpoint.native(.post, "me/notifications/bulk", .publish, handle).described(
      .init(
        id: "publishMany",
        summary: "Publish up to a thousand notifications, one per line, in one transaction.",
        parameters: [
          .header(
            "Idempotency-Key", Schemas.limited(255),
            "Requests with the same key and body take effect once."),
          .header("Prefer", Schemas.text, "bellhop.quiet-update keeps position and state."),
        ], body: .text(contentType),
        answers: [
          .init(200, "The result of each line, one per line.", .text(contentType))
        ], refusals: [422: "The idempotency key was already used with another body."]))
  ]

  static let contentType = "application/x-ndjson"

  private static func handle(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    try Publishing.refuseConditions(exchange)
    return try await exchange.withBody(bytesMax: exchange.configuration.bulkBodyBytesMax) {
      try await publish($0, exchange, principal)
    }
  }

  private static func publish(
    _ body: ByteBuffer, _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let limits = exchange.configuration
    let lines = try lines(body.readableBytesView, linesMax: limits.bulkLinesMax)
    let isQuiet = exchange.preferences[Publishing.quietUpdate] != nil
    let key = try Publishing.idempotency(
      exchange, principal, fingerprint: [Array(body.readableBytesView), isQuiet ? [1] : [0]])
    var results: [BulkResultPayload] = []
    var requests: [PublishRequest] = []
    var places: [Int] = []
    for line in lines {
      do {
        let content = try await content(line.bytes, limits, exchange, principal)
        requests.append(
          PublishRequest(
            content, isQuietUpdate: isQuiet, idempotency: key?.line(line.number),
            publisher: principal.token.id, appsMax: exchange.appsMax(for: principal),
            isDevice: principal.isDevice))
        places.append(results.count)
        // A placeholder until the line has been published.
        results.append(BulkResultPayload(line: line.number, RequestError(StoreError.busy)))
      } catch let error as WireError {
        results.append(BulkResultPayload(line: line.number, RequestError(error)))
      } catch let error as LineError {
        results.append(BulkResultPayload(line: line.number, error.failure))
      }
    }
    if !requests.isEmpty {
      let published = try await exchange.store.publish(requests, for: principal.user.id)
      for (place, result) in zip(places, published) {
        let line = results[place].line
        switch result {
        case .success(let published):
          results[place] = BulkResultPayload(
            line: line, id: published.item.id, shortNumber: published.item.shortNumber)
        case .failure(let error):
          results[place] = BulkResultPayload(line: line, RequestError(error))
        }
      }
    }
    return try answer(results, isQuiet: isQuiet)
  }

  /// A refusal of a single line.
  private struct LineError: Error {
    var failure: RequestError
  }

  /// Returns the lines that are not blank, with their numbers.
  private static func lines(
    _ body: ByteBufferView, linesMax: Int
  ) throws -> [(number: Int, bytes: ByteBufferView)] {
    var lines: [(number: Int, bytes: ByteBufferView)] = []
    var rest = body
    var number = 0
    // Blank lines are counted but not kept: there may be millions.
    while !rest.isEmpty {
      number += 1
      let line = rest[..<(rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex)]
      rest = rest[min(line.endIndex + 1, rest.endIndex)...]
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { continue }
      guard lines.count < linesMax else {
        throw RequestError(
          .contentTooLarge, .requestEntityTooLarge,
          "The body has too many lines: at most \(linesMax) are accepted.")
      }
      lines.append((number, line))
    }
    guard !lines.isEmpty else {
      throw RequestError.badRequest(
        "The body is wrong: expected a JSON object on each line; it is empty.")
    }
    return lines
  }

  private static func content(
    _ line: ByteBufferView, _ limits: ServerConfiguration, _ exchange: Exchange,
    _ principal: Principal
  ) async throws -> Content {
    guard line.count <= limits.bodyBytesMax else {
      throw LineError(failure: RequestError.bodyTooLarge(bytesMax: limits.bodyBytesMax))
    }
    let content = try WireJSON.decode(
      PublishPayload.self, from: line, depthMax: limits.jsonDepthMax
    ).content
    guard try await Publishing.mayPublish(content.app, exchange, principal) else {
      throw LineError(
        failure: RequestError.forbidden("The access token does not allow publishing for this app."))
    }
    return content
  }

  private static func answer(
    _ results: [BulkResultPayload], isQuiet: Bool
  ) throws -> Response {
    var buffer = ByteBuffer()
    for result in results {
      buffer.writeBytes(try WireJSON.encode(result, sortingKeys: true))
      buffer.writeString("\n")
    }
    var headers: HTTPFields = [.contentType: contentType, .cacheControl: "no-store"]
    if isQuiet { headers[Exchange.preferenceApplied] = Publishing.quietUpdate }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: buffer))
  }
}

extension BulkResultPayload {
  fileprivate init(line: Int, _ failure: RequestError) {
    self.init(
      line: line, status: Int(failure.status.code),
      error: Problem(code: failure.code, message: failure.message))
  }
}
