#if BELLHOP_POSTGRES
import BellhopTestSupport
import Foundation
import Synchronization
import Testing

/// A publisher that repeats each publication until a store acknowledges it.
final class ClusterPublisher: Sendable {
  /// The way in which a store recognises a repeated publication.
  enum Recognition: String, CaseIterable, Sendable {
    case idempotencyKey
    case appNotificationID
    /// The store does not recognise it: it may store the publication more than once.
    case none

    var isExactlyOnce: Bool { self != .none }
  }

  let name: String
  let user: String
  private let token: String
  private let state = Mutex(State())

  private struct State {
    var next = 1
    /// The acknowledged publications: their recognition and their items' ids, by their titles.
    var acknowledged: [String: (recognition: Recognition, id: String)] = [:]
    /// The number of requests by the status of their answers; 0 for no answer.
    var statuses: [Int: Int] = [:]
    var refusals: [String] = []
  }

  private struct Published: Decodable {
    let id: String
  }

  init(name: String, user: String, token: String) {
    self.name = name
    self.user = user
    self.token = token
  }

  var acknowledged: [String: (recognition: Recognition, id: String)] {
    state.withLock { $0.acknowledged }
  }
  var statuses: [Int: Int] { state.withLock { $0.statuses } }
  /// Answers that a publisher must not receive.
  var refusals: [String] { state.withLock { $0.refusals } }

  /// Publishes with all kinds of recognition in turn.
  ///
  /// - Parameters:
  /// - pause: The time between two publications.
  /// - acknowledged: Called with the id of each item that no request of this publisher replaces.
  ///   An item with an app notification id may just have been replaced by a repeated publication:
  ///   the store then refuses operations of devices that have not seen that.
  func run(
    while load: LoadSwitch, at address: String, pause: Duration,
    acknowledged: @Sendable (String) -> Void
  ) async throws {
    while load.isOn {
      let number = state.withLock { state in
        defer { state.next += 1 }
        return state.next
      }
      let kinds = Recognition.allCases
      let recognition = kinds[number % kinds.count]
      let id = try await publish("\(name) \(number)", recognition: recognition, at: address)
      guard let id else { return }
      if recognition != .appNotificationID { acknowledged(id) }
      try await nextTurn(after: pause)
    }
  }

  /// Publishes an item until a store acknowledges it, and returns its id; nil if it was refused.
  @discardableResult
  func publish(
    _ title: String, recognition: Recognition, at address: String
  ) async throws -> String? {
    var last: StoreAnswer?
    return try await eventually(
      "an acknowledgement of \(title)", within: .seconds(180), every: .milliseconds(200),
      last: String(describing: last)
    ) { () -> String?? in
      last = await send(title, recognition: recognition, to: address)
      guard let last else { return nil }
      if last.isSuccess { return .some(acknowledged[title]?.id) }
      if last.status >= 500 || last.status == 429 { return nil }
      return .some(nil)
    }
  }

  /// Sends a publication once, and notes its acknowledgement or refusal.
  ///
  /// - Returns: nil without an answer within the limit.
  func send(
    _ title: String, recognition: Recognition, to address: String,
    within limit: Duration = .seconds(20)
  ) async -> StoreAnswer? {
    let key = title.replacing(" ", with: "-")
    let member =
      recognition == .appNotificationID ? #","appNotificationId":"\#(key)""# : ""
    let answer = await StoreHTTP.ask(
      .post, address + "/v1.0/me/notifications", token: token,
      headers: recognition == .idempotencyKey ? ["Idempotency-Key": key] : [:],
      body: """
        {"targetHostName":"\(name)"\(member),"payload":{"visualContent":{"title":"\(title)"}}}
        """, within: limit)
    let item = answer.flatMap {
      try? JSONDecoder().decode(Published.self, from: Data($0.body.utf8))
    }
    state.withLock { state in
      state.statuses[answer?.status ?? 0, default: 0] += 1
      guard let answer else { return }
      if answer.isSuccess, let item {
        state.acknowledged[title] = (recognition, item.id)
      } else if answer.status < 500, answer.status != 429 {
        state.refusals.append("\(title): \(answer)")
      }
    }
    return answer
  }
}

/// The judgement of a store's content by what it has acknowledged.
struct ClusterVerdict {
  var acknowledged = 0
  var exactlyOnce = 0
  var lost: [String] = []
  var doubled: [String] = []
  /// Publications that were repeated without recognition, and are there more than once.
  var repeated = 0
  var operations = 0
  var wrong: [String] = []

  /// Judges one user's content.
  mutating func judge(
    _ content: StoreContent, _ publishers: [ClusterPublisher], _ devices: [ClusterDevice]
  ) {
    for publisher in publishers {
      for (title, publication) in publisher.acknowledged {
        acknowledged += 1
        let ids = content.ids[title] ?? []
        if !ids.contains(publication.id) { lost.append(title) }
        if publication.recognition.isExactlyOnce {
          exactlyOnce += 1
          if ids.count > 1 { doubled.append("\(title): \(ids)") }
        } else if ids.count > 1 {
          repeated += 1
        }
      }
    }
    for device in devices {
      operations += device.operationCount
      for (id, expected) in device.expected {
        let item = content.items[id]
        if !expected.holds(item) {
          let found = String(describing: item)
          wrong.append("\(device.name): \(id) should be \(expected), is \(found)")
        }
      }
    }
  }

  /// Prints the counts, and fails for each loss.
  func report(_ name: String) {
    print(
      """
      \(name): \(acknowledged) publications acknowledged, \(exactlyOnce) of them exactly once; \
      lost \(lost.count), doubled \(doubled.count), repeated without a key \(repeated); \
      \(operations) operations acknowledged, wrong \(wrong.count)
      """)
    #expect(lost.isEmpty, "\(name): lost \(lost.prefix(20))")
    #expect(doubled.isEmpty, "\(name): doubled \(doubled.prefix(20))")
    #expect(wrong.isEmpty, "\(name): \(wrong.prefix(20))")
  }
}
#endif
