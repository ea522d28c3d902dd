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

  /// Returns the text about an action, with its author and time.
  package func line(_ action: UserActionState, _ provenance: Provenance) -> SafeText {
    if let choice = provenance.choice { return line(choice.title + " · chosen", provenance) }
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
