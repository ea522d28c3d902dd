import BellhopTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Synchronization

/// Answers requests as the store of a recording did: by method and path, in the recorded order.
///
/// The last answer to a request is repeated. A request that was not recorded gets 404 and is kept
/// in ``unknown``; one with a `$` parameter that its endpoint did not know gets 400, as it did
/// then.
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

  /// The bodies of the requests with this method and path.
  func bodies(_ method: String, _ path: String) -> [String] {
    state.withLock { $0.bodies[Self.key(method, path)] ?? [] }
  }

  /// Matches a query by its token: a store ignores other parameters without a `$`.
  private static func key(_ method: String, _ target: String) -> String {
    let (path, query) = parts(of: target)
    let token = query.first { $0.name == "$deltatoken" || $0.name == "$skiptoken" }
    return "\(method) \(path) \(token?.value ?? "")"
  }

  private static func parts(
    of target: String
  ) -> (path: String, query: [(name: String, value: String)]) {
    let parts = target.split(separator: "?", maxSplits: 1)
    let query = parts.dropFirst().flatMap { $0.split(separator: "&") }.map { pair in
      let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
      return (halves[0].removingPercentEncoding ?? halves[0], halves.count > 1 ? halves[1] : "")
    }
    return (String(parts.first ?? ""), query)
  }

  /// The `$` parameters that an endpoint knew; nil if it ignored all of them.
  private static func parameters(of path: String) -> [String]? {
    let names = path.split(separator: "/").map(String.init)
    guard names.starts(with: ["v1.0", "me", "notifications"]) else { return nil }
    switch names.dropFirst(3) {
    case []:
      return ["$filter", "$search", "$orderby", "$top", "$count", "$select", "$skiptoken"]
    case ["delta"]: return ["$deltatoken", "$skiptoken"]
    case ["signal"]: return nil
    case let rest: return rest.count == 1 ? ["$select"] : nil
    }
  }

  /// The answer of 0.1.0 to a parameter that it did not know; nil if it knew all.
  static func refusal(_ method: String, _ target: String) -> RecordedExchange.Answer? {
    let (path, query) = parts(of: target)
    guard method == "GET", let known = parameters(of: path),
      let name = query.map(\.name).first(where: { $0.hasPrefix("$") && !known.contains($0) })
    else { return nil }
    return RecordedExchange.Answer(
      status: 400, headers: ["content-type": "application/json"],
      body: """
        {"error":{"code":"notSupported","message":"The parameter \(name.prefix(32)) is not one of this \
        address; there are: \(known.joined(separator: ", "))."}}
        """)
  }

  private func answer(_ method: String, _ target: String, body: String) -> RecordedExchange.Answer {
    let key = Self.key(method, target)
    if let refusal = Self.refusal(method, target) {
      state.withLock { $0.unknown.append("\(method) \(target)") }
      return refusal
    }
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
