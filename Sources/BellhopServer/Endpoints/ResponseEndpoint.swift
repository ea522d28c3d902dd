internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `/v1.0/me/notifications/{id}/response`: the user's answer to an item, for its publisher.
///
/// A publisher without a device token learns which action was chosen. It does not learn whether the
/// item was read, snoozed or deleted.
enum ResponseEndpoint {
  static let endpoints = [
    Endpoint.native(.get, "me/notifications/:id/response", .publish, get).described(
      .init(
        id: "getResponse",
        summary: "The user's answer to an item, for the token that published it.",
        parameters: [
          .query(
            "wait", ["type": "integer", "minimum": 0, "maximum": 60],
            "How many seconds to wait for an answer; default 0.")
        ],
        answers: [
          .init(
            200,
            "The answer; or that the item expired, or was published again while this request "
              + "waited. The answer is repeated as long as the item would stay.",
            .json("Response")),
          .init(204, "The user has not answered yet."),
        ]))
  ]

  /// The longest wait, in seconds: shorter than proxies keep a silent connection.
  private static let waitMax = 60

  private static func get(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    try exchange.allowParameters()
    let id = try exchange.notificationID()
    let wait = try wait(exchange)
    let status = try await exchange.untilClientLeaves { [store = exchange.store] in
      try await store.response(
        to: id, for: principal.token.id, of: principal.user.id, waiting: wait)
    }
    switch status {
    case .pending: return Response(status: .noContent)
    case .expired: return try .json(.ok, ResponsePayload(status: .expired))
    case .superseded: return try .json(.ok, ResponsePayload(status: .superseded))
    case .answered(let answer):
      return try .json(
        .ok,
        ResponsePayload(
          status: .answered, actionId: answer.action, actionText: answer.text,
          dateTime: answer.at))
    }
  }

  private static func wait(_ exchange: Exchange) throws -> Duration {
    guard let text = exchange.query["wait"] else { return .zero }
    guard let seconds = Int(text), (0...waitMax).contains(seconds) else {
      throw RequestError.badRequest(
        "wait is wrong: expected whole seconds, 0 to \(waitMax), such as 60.")
    }
    return .seconds(seconds)
  }
}
