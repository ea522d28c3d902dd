package import BellhopModel
package import BellhopText

/// Texts about the history of an item: what was done, where and when.
///
/// For example: `dismissed on work-laptop · Sat 21 Nov 09:12 CET`.
package struct HistoryText: Sendable {
  private let time: TimeText

  init(time: TimeText) { self.time = time }

  /// Creates the texts for a zone.
  ///
  /// - Parameter now: The time by the store's clock.
  package init(zone: ZoneRules, now: Timestamp) { time = TimeText(zone: zone, now: now) }

  /// The end of an alert, as its publisher says.
  package struct Resolution: Hashable, Sendable {
    /// The time at which the alert began.
    var began: Timestamp
    var ended: Timestamp

    init(began: Timestamp, ended: Timestamp) {
      self.began = began
      self.ended = ended
    }

    /// Creates the end of the alert that an item is about; nil if the publisher has not resolved it.
    package init?(_ item: UserNotification) {
      guard let ended = item.state.resolved else { return nil }
      self.init(began: item.content.extras.startedDateTime ?? item.arrival, ended: ended)
    }
  }

  /// Returns the text about an action, with its author and time.
  ///
  /// - Parameter resolution: The end of the alert, if it is over: a dismissal by the publisher is then
  ///   its resolution.
  package func line(
    _ action: UserActionState, _ provenance: Provenance, resolution: Resolution? = nil
  ) -> SafeText {
    if let choice = provenance.choice { return line(choice.title + " · chosen", provenance) }
    if let resolution, action == .dismissed, provenance.origin == .publisher {
      return "resolved" + provenance.place + " · after "
        + TimeText.length(from: resolution.began, to: resolution.ended) + " · "
        + time.full(provenance.at)
    }
    return switch action {
    case .noInteraction: line("put back in the tray", provenance)
    case .activated: line("opened", provenance)
    case .dismissed: line("dismissed", provenance)
    case .snoozed(let until):
      "snoozed" + provenance.place + " until " + time.full(until) + " · "
        + time.full(provenance.at)
    }
  }

  /// Returns the text typed for the chosen action; nil if there is none.
  package func answer(_ provenance: Provenance) -> SafeText? {
    provenance.choice?.text.map { "“" + $0 + "”" }
  }

  package func line(_ what: SafeText, _ provenance: Provenance) -> SafeText {
    what + provenance.place + " · " + time.full(provenance.at)
  }

  /// Returns the count and the times of a round: `×37 · first 06:12 · last 06:51`.
  ///
  /// Nil for a round of one occurrence.
  package func round(of repeats: Repeats) -> SafeText? {
    guard repeats.count > 1 else { return nil }
    return "×" + SafeText(repeats.count.grouped) + " · first " + time.moment(repeats.first)
      + " · last " + time.moment(repeats.last)
  }

  /// Returns the rounds before: `2 earlier rounds: ×12 until Fri 18:02, ×3 until Thu 09:40`.
  ///
  /// Nil if there are none. A store keeps only the last ones.
  package func earlierRounds(of repeats: Repeats) -> SafeText? {
    let earlier = repeats.earlier
    guard !earlier.isEmpty else { return nil }
    let rounds = earlier.map { round -> SafeText in
      "×" + SafeText(round.count.grouped) + " until " + time.moment(round.last)
    }
    return SafeText(earlier.count.counted("earlier round")) + ": "
      + SafeText.joined(rounds, by: ", ")
  }
}

extension Provenance {
  /// The place where a register was set, to follow a verb: ` here`, ` on work-laptop`, ` by ci`,
  /// ` by the rule night`.
  var place: SafeText {
    switch origin {
    case .here: " here"
    case .device: " on " + by
    case .publisher: " by " + by
    case .rule: " by the rule " + by
    }
  }
}
