package import BellhopCache

/// The page of a first synchronisation that is requested while the previous page is written.
///
/// The store thus reads while the cache writes. Only the next pull uses the page, and only if it
/// requests it. The store's answers are then applied in the order of their requests, as if nothing
/// had been requested ahead. A delta between the two would contain changes made after the page was
/// read. The cache would handle the older rows correctly, but need not rely on that.
package struct PrefetchedPage<Answer> {
  private var held: (request: ChangeChunk.Request, answer: Answer)?
  private let drop: (Answer) -> Void

  /// - Parameter drop: Called with an answer that will not be used.
  package init(drop: @escaping (Answer) -> Void) {
    self.drop = drop
  }

  /// Returns the request to send ahead, once `answer` is there and before it is written.
  ///
  /// Returns nil if something else comes next.
  package static func request(
    after answer: PullAnswer, to request: ChangeChunk.Request, _ core: EngineCore
  ) -> ChangeChunk.Request? {
    guard core.asksForPageNext, case .page = request,
      case .page(let next?, _, _) = answer.end
    else { return nil }
    return .page(next)
  }

  /// Holds an answer that was requested ahead.
  package mutating func hold(_ answer: Answer, to request: ChangeChunk.Request) {
    dropHeld()
    held = (request, answer)
  }

  /// Returns the held answer if it is for `request`. Drops any other held answer.
  package mutating func take(_ request: ChangeChunk.Request) -> Answer? {
    guard let held else { return nil }
    if held.request == request {
      self.held = nil
      return held.answer
    }
    dropHeld()
    return nil
  }

  /// Drops the held answer, if there is one.
  package mutating func dropHeld() {
    if let held { drop(held.answer) }
    held = nil
  }
}
