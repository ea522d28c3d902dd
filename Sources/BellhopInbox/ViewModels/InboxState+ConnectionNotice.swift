import BellhopModel
import BellhopText

extension InboxState {
  /// Whether there is a line about the connection.
  var hasConnectionNotice: Bool {
    switch connection.link {
    case .connecting, .live, .polling, .firstSync, .busy: false
    case .offline, .signedOut: true
    }
  }

  /// Returns the notice while the store is unreachable, in the fullest text that fits.
  ///
  /// Contains what is safe and what to do.
  func connectionNotice(width: Int) -> SafeText? {
    let candidates: [SafeText]
    switch connection.link {
    case .connecting, .live, .polling, .firstSync, .busy: return nil
    case .offline(let since):
      let when: SafeText = since.map { " since " + timeText.moment($0) } ?? .empty
      let whose: SafeText = accounts.worst.map { $0 + ": s" } ?? "S"
      // While letters are typed or have another meaning, the key does not retry.
      let isMeant = overlay.isNone && !isTyping
      let retry: SafeText = isMeant ? "  " + keyHint(.syncNow) + " try now" : .empty
      if connection.isStoreStopped {
        candidates = stoppedTexts(isMeant: isMeant)
        break
      }
      candidates = [
        whose + "tore unreachable" + when + ". Changes are saved and sent later." + retry,
        "Store unreachable. Changes are saved." + retry,
        "Offline. Changes are saved." + retry,
      ]
    case .signedOut(let provenance):
      let whose: SafeText = accounts.worst.map { $0 + ": " } ?? .empty
      let (full, brief) = signedOutTexts(provenance)
      candidates = [
        whose + full + ". History is still here.  To sign in: bellhop login",
        full + ". History is still here. bellhop login",
        brief + ". History is still here. bellhop login",
        brief + ". History is here. bellhop login",
        "Signed out; history is here. To sign in: bellhop login",
        "Signed out. To sign in: bellhop login",
        "To sign in: bellhop login",
      ]
    }
    let texts = candidates.map { program.written(in: $0) }
    return texts.first { $0.width <= width } ?? texts.last
  }

  /// Returns the notice while the private store is stopped by the user.
  private func stoppedTexts(isMeant: Bool) -> [SafeText] {
    let whose: SafeText = accounts.worst.map { $0 + ": t" } ?? "T"
    let start: SafeText = isMeant ? "  " + keyHint(.syncNow) + " starts it" : .empty
    let command: SafeText = "bellhop store start"
    let or: SafeText = isMeant ? ", or " + command : "  To start it: " + command
    return [
      whose + "he private store is stopped. Changes are saved and sent later." + start + or,
      whose + "he private store is stopped. Changes are saved." + start + or,
      "Store stopped. Changes are saved." + start + or,
      "Store stopped." + start + or,
      "Stopped: " + command,
    ]
  }

  private func signedOutTexts(_ provenance: Provenance?) -> (full: SafeText, brief: SafeText) {
    guard let provenance else { return ("This device was signed out", "Signed out") }
    let isToday = zone.local(provenance.at).date == zone.local(now).date
    let time = (isToday ? " today at " : " on ") + timeText.moment(provenance.at)
    let isStore = provenance.by == "the store" && accounts.worst == nil
    return (
      (isStore ? "The store" : provenance.by) + " signed this device out" + time,
      "Signed out by " + provenance.by + time
    )
  }
}
