package import BellhopCache

/// The page of a first synchronisation that is asked for while the one before it is being written:
/// the store reads while the cache writes.
///
/// It is used only by the pull that comes next, and only when that asks for it. Then the store's
/// answers are taken in the order in which they were asked for, as if nothing had been asked ahead.
/// A delta between the two would know what happened after the page was read; the cache would not be
/// led astray by the older rows, but need not rely on that.
package struct PageAhead<Answer> {
  private var held: (request: ChangeChunk.Request, answer: Answer)?
  private let drop: (Answer) -> Void

  /// - Parameter drop: what is done with an answer that nobody is going to use.
  package init(drop: @escaping (Answer) -> Void) {
    self.drop = drop
  }

  /// What to ask for ahead, once `answer` is there and before it is written; nil when something
  /// else comes next.
  package static func request(
    after answer: PullAnswer, to request: ChangeChunk.Request, _ core: EngineCore
  ) -> ChangeChunk.Request? {
    guard core.asksForPageNext, case .page = request,
      case .page(let next?, _, _) = answer.end
    else { return nil }
    return .page(next)
  }

  /// Holds what was asked for ahead.
  package mutating func hold(_ answer: Answer, to request: ChangeChunk.Request) {
    dropHeld()
    held = (request, answer)
  }

  /// What was asked for ahead, when it is `request`. Anything else that is held is dropped.
  package mutating func take(_ request: ChangeChunk.Request) -> Answer? {
    guard let held else { return nil }
    if held.request == request {
      self.held = nil
      return held.answer
    }
    dropHeld()
    return nil
  }

  /// Nothing comes next.
  package mutating func dropHeld() {
    if let held { drop(held.answer) }
    held = nil
  }
}
