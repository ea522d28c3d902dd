import BellhopTestSupport
import Foundation
import Synchronization

/// Runs `body` on a thread that may block.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: body()) }.start()
  }
}

/// A program that publishes one item after another, and records the answers.
///
/// An item without an answer is sent again with the same `Idempotency-Key`, as a careful publisher
/// does: it must be there once, whatever happened to the first attempt.
final class SteadyPublisher: Sendable {
  let name: String
  private let token: String
  private let state = Mutex(State())

  private struct State {
    var next = 1
    /// Ids of the items by their titles.
    var answered: [String: String] = [:]
    var refusals: [String] = []
  }

  private struct Published: Decodable {
    let id: String
  }

  init(name: String, token: String) {
    (self.name, self.token) = (name, token)
  }

  /// Titles of all items that the store has acknowledged, with their ids.
  var answered: [String: String] { state.withLock { $0.answered } }
  /// Answers other than success.
  var refusals: [String] { state.withLock { $0.refusals } }

  /// Publishes until the connection breaks; calls `acknowledged` with each acknowledged item's id.
  ///
  /// - Parameters:
  /// - goesOn: Called before each request; false ends the run.
  /// - isFine: Whether an answer other than success is expected; the request is then repeated.
  func run(
    _ port: Int, while goesOn: () -> Bool = { true },
    refused isFine: (StoreLine.Answer) -> Bool = { _ in false },
    acknowledged: (String) -> Void
  ) {
    guard let line = StoreLine(port: port, token: token) else { return }
    while goesOn() {
      let number = state.withLock { $0.next }
      let title = "\(name) \(number)"
      let answer = line.ask(
        "POST", "/v1.0/me/notifications", headers: ["Idempotency-Key: \(name)-\(number)"],
        body: """
          {"targetHostName":"\(name)","payload":{"visualContent":{"title":"\(title)"}}}
          """)
      guard let answer else { return }
      if answer.status >= 500, isFine(answer) { continue }
      let item = try? JSONDecoder().decode(Published.self, from: Data(answer.body))
      guard (200...201).contains(answer.status), let id = item?.id else {
        let words = "\(title): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
        return state.withLock { $0.refusals.append(words) }
      }
      state.withLock { state in
        state.answered[title] = id
        state.next += 1
      }
      acknowledged(id)
    }
  }
}

/// A device that handles items with numbered operations, and records the answers.
final class SteadyDevice: Sendable {
  let name: String
  private let token: String
  private let state: Mutex<State>

  private struct Step {
    var number: Int
    var operation: String
    var item: String
    var action: String
  }

  private struct State {
    var random: SeededRandom
    var next = 1
    /// Sent without an answer yet: sent again unchanged.
    var unanswered: Step?
    /// Items to be handled.
    var waiting: [String] = []
    /// The last acknowledged action, by item.
    var actions: [String: String] = [:]
    var refusals: [String] = []
  }

  private struct Answers: Decodable {
    struct Answer: Decodable {
      let result: String
    }
    let results: [Answer]
  }

  init(name: String, token: String, seed: UInt64) {
    (self.name, self.token) = (name, token)
    state = Mutex(State(random: SeededRandom(seed: seed)))
  }

  /// The last acknowledged action of each item.
  var actions: [String: String] { state.withLock { $0.actions } }
  /// The action of an operation without an answer, which may or may not have been performed.
  var unanswered: (item: String, action: String)? {
    state.withLock { $0.unanswered.map { ($0.item, $0.action) } }
  }
  var refusals: [String] { state.withLock { $0.refusals } }
  var answeredCount: Int { state.withLock { $0.next - 1 } }

  /// Queues an item to be dismissed, and occasionally restored afterwards.
  func handle(_ item: String) {
    state.withLock { state in
      state.waiting.append(item)
      if state.random.next() % 2 == 0 { state.waiting.append(item) }
    }
  }

  private func next() -> Step? {
    state.withLock { state in
      if let step = state.unanswered { return step }
      guard let item = state.waiting.first else { return nil }
      state.waiting.removeFirst()
      let action = state.actions[item] == "dismissed" ? "noInteraction" : "dismissed"
      let step = Step(
        number: state.next, operation: Self.identifier(&state.random), item: item, action: action)
      state.unanswered = step
      return step
    }
  }

  /// A version 4 UUID from the seed.
  private static func identifier(_ random: inout SeededRandom) -> String {
    func hex(_ digits: Int) -> String {
      let text = String(random.next(), radix: 16)
      return (String(repeating: "0", count: 16) + text).suffix(digits).description
    }
    return "\(hex(8))-\(hex(4))-4\(hex(3))-8\(hex(3))-\(hex(12))"
  }

  /// Registers the device.
  func register(_ port: Int) {
    let answer = StoreLine(port: port, token: token)?.ask(
      "POST", "/v1.0/me/devices",
      body: #"{"id":"\#(name)","name":"\#(name)","platform":"test","channel":"polling"}"#)
    if answer.map({ !(200...201).contains($0.status) }) ?? true {
      state.withLock { $0.refusals.append("registration: \(String(describing: answer))") }
    }
  }

  /// Sends operations, one per request, until the connection breaks; see ``SteadyPublisher``.
  func run(
    _ port: Int, while goesOn: () -> Bool = { true },
    refused isFine: (StoreLine.Answer) -> Bool = { _ in false }, acknowledged: () -> Void
  ) {
    guard let line = StoreLine(port: port, token: token) else { return }
    while goesOn() {
      guard let step = next() else {
        // Nothing to handle yet: a cheap request checks that the store is still there.
        guard line.ask("GET", "/health/live") != nil else { return }
        continue
      }
      let answer = line.ask(
        "POST", "/v1.0/me/devices/\(name)/operations",
        body: """
          {"lineage":"one","operations":[{"sequence":\(step.number),"id":"\(step.operation)",\
          "notificationId":"\(step.item)","set":{"userActionState":"\(step.action)"}}]}
          """)
      guard let answer else { return }
      if answer.status >= 500, isFine(answer) { continue }
      let results = try? JSONDecoder().decode(Answers.self, from: Data(answer.body)).results
      guard answer.status == 200, let result = results?.first?.result,
        ["applied", "alreadyApplied"].contains(result)
      else {
        let words = String(decoding: answer.body, as: UTF8.self)
        return state.withLock {
          $0.refusals.append("operation \(step.number): \(answer.status) \(words)")
        }
      }
      state.withLock { state in
        state.actions[step.item] = step.action
        state.unanswered = nil
        state.next += 1
      }
      acknowledged()
    }
  }
}
