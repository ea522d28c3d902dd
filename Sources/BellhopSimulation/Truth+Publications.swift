import BellhopModel
import BellhopStore

extension Truth {
  /// Checks that a publication created or replaced one item, with exactly its content.
  mutating func check(_ content: Content, isQuiet: Bool, _ commit: Commit) {
    var items: [UserNotification] = []
    for row in commit.changed {
      switch row {
      case .live(let item): items.append(item)
      case .tombstone:
        if let old = live(row.id), !old.isOver(at: commit.now) {
          violate("a publication deleted #\(row.shortNumber)")
        }
      }
    }
    guard let item = items.first, items.count == 1 else {
      return violate("a publication changed \(items.count) items")
    }
    var expected = content
    expected.app = settings.landing(of: content.app)
    if item.content != expected {
      violate("#\(item.shortNumber) holds \(item.content) instead of \(expected)")
    }
    if item.state.contentSequence != item.state.sequence {
      violate("#\(item.shortNumber) has new content under an old content sequence")
    }
    let arrival = max(commit.now, content.deliverAt ?? commit.now)
    guard var old = live(item.id) else { return checkFresh(item, published: commit.now, arrival) }
    let keepsTimes = isQuiet && content.trigger == old.content.trigger
    if !keepsTimes { old = PlainOccurrence.replaceable(old, at: commit.now, zone: zone) }
    let isTouched = old.isTouched
    let isAgainOnTop = isTouched && !isQuiet || content.trigger != nil && !keepsTimes
    checkPlace(item, instead: old, isAgainOnTop: isAgainOnTop, commit.now, arrival)
    for register in PlainRegister.all
    where !register.isPerDelivery && !register.isEqual(old.state, item.state) {
      violate("a publication changed \(register.name) of #\(item.shortNumber)")
    }
    if old.state.cancelled != item.state.cancelled {
      violate("a publication did not leave the cancellation of #\(item.shortNumber), or end it")
    }
    if isTouched, !isQuiet {
      if item.isTouched {
        violate("#\(item.shortNumber) was replaced, but did not return to the tray")
      }
    } else if old.state.readState != item.state.readState
      || old.state.userActionState != item.state.userActionState
    {
      violate("a quiet publication changed registers of #\(item.shortNumber)")
    }
  }

  /// Checks that a replacement is the same item, with the right time of arrival.
  ///
  /// It arrives again when it resurfaces, and when the old or the new delivery time is in the
  /// future.
  private mutating func checkPlace(
    _ item: UserNotification, instead old: UserNotification, isAgainOnTop: Bool, _ now: Timestamp,
    _ arrival: Timestamp
  ) {
    let isDelayed = [old, item].contains { $0.content.deliverAt.map { $0 > now } ?? false }
    let expected = isAgainOnTop || isDelayed ? arrival : old.arrival
    if item.arrival != expected {
      violate("#\(item.shortNumber) arrived at \(item.arrival) instead of \(expected)")
    }
    if item.shortNumber != old.shortNumber || item.created != old.created {
      violate("#\(item.shortNumber) was replaced, and is another item")
    }
  }

  private mutating func checkFresh(
    _ item: UserNotification, published now: Timestamp, _ arrival: Timestamp
  ) {
    if item.created != now || item.arrival != arrival {
      violate("#\(item.shortNumber) is new, but arrived at \(item.arrival) instead of \(arrival)")
    }
    if rows[item.id] != nil { violate("#\(item.shortNumber) was published over a tombstone") }
    if rows.values.contains(where: { $0.shortNumber == item.shortNumber }) {
      violate("#\(item.shortNumber) was assigned twice")
    }
    let untouched = ItemState(sequence: .zero, contentSequence: .zero, changed: .distantPast)
    for register in PlainRegister.all where !register.isEqual(untouched, item.state) {
      violate("#\(item.shortNumber) is new, but a device has set \(register.name)")
    }
  }
}
