internal import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import BellhopTime
internal import BellhopWire

extension Commands {
  /// The pause after an attempt that did not reach the store.
  private static let retryPause = Duration.seconds(2)

  static func checkedSpan(_ text: String) throws -> Duration {
    guard let span = SpanPhrase.duration(text) else { throw TimeExpression.notASpan(text) }
    return span
  }

  /// Waits for the answer to an item, and prints the chosen action and the typed text.
  ///
  /// - Throws: `ClientError` with exit code 75 after the time limit, and 66 if the item expired or was
  ///   published again.
  static func awaitAnswer(
    to item: NotificationID, within limit: Duration?, _ access: CacheAccess
  ) throws {
    StandardError.say("Waiting for an answer to \(item). Ctrl-C ends the wait, not the item.")
    let context = access.context
    let answer = try runBlocking {
      let transport = try EngineSetup.transport(for: access.account, context: context)
      let clock = ContinuousClock()
      let end = limit.map { clock.now.advanced(by: $0) }
      while end.map({ clock.now < $0 }) ?? true {
        do throws(TransportError) {
          let left = end.map { clock.now.duration(to: $0) }
          if let answer = try await transport.response(to: item, within: left) { return answer }
        } catch {
          guard error.isUnreachable else { throw refused(error, "The wait ended") }
          try await clock.sleep(for: retryPause)
        }
      }
      throw ClientError(
        .tryLater, "No answer before the time limit.", next: "The item was not changed.")
    }
    switch answer.status {
    case .answered:
      StandardOutput.line(SafeText(answer.actionId ?? ""))
      if let text = answer.actionText { StandardOutput.line(SafeText(text, lineBreaks: .joined)) }
    case .expired: throw ClientError(.noSuchItem, "The item expired without an answer.")
    case .superseded:
      throw ClientError(
        .noSuchItem, "The item was published again, and the new one asks for itself.")
    }
  }
}
