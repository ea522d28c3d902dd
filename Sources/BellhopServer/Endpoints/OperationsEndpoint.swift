internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `POST /v1.0/me/devices/{id}/operations`: applies a device's outbox, each operation exactly once.
enum OperationsEndpoint {
  static let endpoints = [
    Endpoint.native(.post, "me/devices/:id/operations", .device, handle).described(
      .init(
        id: "operations",
        summary: "Apply a device's outbox: each operation exactly once, in order.",
        body: .json("Operations"),
        answers: [.init(200, "A result for each operation.", .json("OperationsAnswer"))],
        refusals: [
          409: "Operations before the first are missing, or its number belongs to another one."
        ]))
  ]

  private static func handle(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    let device = try exchange.deviceID()
    guard principal.token.scope == .device(device) else {
      throw RequestError.forbidden("The access token is not bound to this device.")
    }
    let payload = try await exchange.payload(
      OperationsPayload.self, bytesMax: exchange.configuration.operationsBodyBytesMax)
    guard payload.operations.count <= exchange.store.limits.operationsPerBatchMax else {
      throw RequestError.badRequest(
        "operations is wrong: expected at most "
          + "\(exchange.store.limits.operationsPerBatchMax) operations.")
    }
    for numbered in payload.operations {
      guard case .configure(let change) = numbered.operation.mutation else { continue }
      try AppEndpoints.check(change)
    }
    let answer = try await exchange.store.apply(
      OperationBatch(
        device: device, lineage: payload.lineage, operations: payload.operations,
        token: principal.token.id),
      for: principal.user.id)
    let results = zip(payload.operations, answer.results).map { sent, result in
      OperationsAnswerPayload.Answer(number: sent.number, id: sent.operation.id, result: result)
    }
    return try .json(
      .ok,
      OperationsAnswerPayload(
        results: results, sequence: answer.sequence, epoch: answer.epoch))
  }
}
