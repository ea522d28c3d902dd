import BellhopModel
import BellhopStore

/// The answers to items that await a response, followed and checked commit by commit.
///
/// The first choice that the store accepts is the answer, and it never changes.
struct ResponseTruth {
  /// An answer, regardless of its time.
  private struct Answer: Equatable {
    var content: SequenceNumber
    var action: String
    var text: String?
  }

  private var answers: [NotificationID: Answer] = [:]

  /// Adopts the current answers, after a restore or a rollback.
  mutating func adopt(_ responses: [AwaitedResponse]) {
    answers = [:]
    for response in responses { answers[response.item] = Self.answer(response) }
  }

  /// Returns whether an item awaits a response and has one.
  func isAnswered(_ item: UserNotification) -> Bool {
    item.content.extras.awaitsResponse == true
      && answers[item.id]?.content == item.state.contentSequence
  }

  /// Records the answer that an operation gives, if it gives the first one.
  mutating func note(_ operation: Operation, on item: UserNotification, _ settings: AppSettings) {
    guard item.content.extras.awaitsResponse == true, !isAnswered(item), operation.expect == nil,
      case .set(let change) = operation.mutation,
      let action = Self.action(change, of: item, settings)
    else { return }
    answers[item.id] = Answer(
      content: item.state.contentSequence, action: action, text: change.choice?.text)
  }

  private static func action(
    _ change: StateChange, of item: UserNotification, _ settings: AppSettings
  ) -> String? {
    switch (settings.responses, change.choice?.id, change.userActionState?.kind) {
    case (.none, _, _), (.actions, nil, _): return nil
    case (.actions, let chosen?, _), (.all, let chosen?, _): return chosen
    case (.all, nil, .activated?): return "default"
    case (.all, nil, .dismissed?):
      let category = settings.categories.first { $0.id == item.content.extras.category }
      return category?.options.contains("customDismissAction") == true ? "dismiss" : nil
    case (.all, nil, _): return nil
    }
  }

  /// Checks the store's answers of changed items.
  ///
  /// - Parameter mayBeNew: Whether a bulk operation ran, which may give answers.
  /// - Returns: The violations.
  mutating func check(_ responses: [AwaitedResponse], mayBeNew: Bool) -> [String] {
    var violations: [String] = []
    for response in responses where !response.isSuperseded {
      let stored = Self.answer(response)
      let known = answers[response.item].flatMap {
        $0.content == response.contentSequence ? $0 : nil
      }
      if known == nil, mayBeNew {
        answers[response.item] = stored
      } else if stored != known {
        violations.append("the answer to \(response.item) is not the first one")
      }
    }
    return violations
  }

  private static func answer(_ response: AwaitedResponse) -> Answer? {
    response.answer.map {
      Answer(content: response.contentSequence, action: $0.action, text: $0.text)
    }
  }
}
