import BellhopTestSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Synchronization

/// Answers requests as the store of a recording did: by method and path, in the recorded order.
///
/// The last answer to a request is repeated. A request that was not recorded gets 404 and is kept in
/// ``unknown``.
final class RecordedStore: Sendable {
  private struct State {
    var answers: [String: [RecordedExchange.Answer]] = [:]
    var unknown: [String] = []
    var bodies: [String: [String]] = [:]
  }

  private let state: Mutex<State>

  init(_ turns: [RecordedExchange.Turn]) {
    var state = State()
    for turn in turns {
      let key = Self.key(turn.request.method, turn.request.path)
      state.answers[key, default: []].append(turn.answer)
    }
    self.state = Mutex(state)
  }

  /// Requests without an answer.
  var unknown: [String] { state.withLock { $0.unknown } }

  /// The bodies that a request came with.
  func bodies(_ method: String, _ path: String) -> [String] {
    state.withLock { $0.bodies[Self.key(method, path)] ?? [] }
  }

  /// Of a query, only the delta token decides: a store ignores parameters that it does not know.
  private static func key(_ method: String, _ target: String) -> String {
    let parts = target.split(separator: "?", maxSplits: 1)
    let token = parts.dropFirst().first?.split(separator: "&")
      .first { $0.hasPrefix("$deltatoken=") || $0.hasPrefix("%24deltatoken=") }
      .flatMap { $0.split(separator: "=").last }
    return "\(method) \(parts.first ?? "") \(token ?? "")"
  }

  private func answer(_ method: String, _ target: String, body: String) -> RecordedExchange.Answer {
    let key = Self.key(method, target)
    return state.withLock { state in
      state.bodies[key, default: []].append(body)
      guard let answers = state.answers[key], let first = answers.first else {
        state.unknown.append("\(method) \(target)")
        return RecordedExchange.Answer(
          status: 404, headers: ["content-type": "application/json"],
          body: #"{"error":{"code":"notFound","message":"There is no such resource."}}"#)
      }
      if answers.count > 1 { state.answers[key]?.removeFirst() }
      return first
    }
  }

  /// Serves on a free port of this machine while `body` runs.
  func serve<Value: Sendable>(_ body: @Sendable (Int) async throws -> Value) async throws -> Value {
    let responder = CallbackResponder<BasicRequestContext> { request, _ in
      let target = request.head.path ?? "/"
      let text = String(buffer: try await request.body.collect(upTo: 1 << 20))
      let answer = self.answer(request.method.rawValue, target, body: text)
      var headers = HTTPFields()
      for (name, value) in answer.headers {
        if let name = HTTPField.Name(name) { headers[name] = value }
      }
      return Response(
        status: .init(code: answer.status), headers: headers,
        body: answer.status == 304 ? .init() : .init(byteBuffer: ByteBuffer(string: answer.body)))
    }
    let application = Application(
      responder: responder,
      configuration: .init(address: .hostname("127.0.0.1", port: 0), serverName: nil))
    return try await application.test(.live) { client in try await body(client.port ?? 0) }
  }
}
