package import BellhopModel

extension ItemShelf {
  /// Publishes the content of an item again with another body, as a repeat that stays in its place.
  package mutating func publishRepeat(of id: NotificationID, body: String, at time: Timestamp) {
    change(id, at: time) { item in
      item.state.meaning = item.state.meaningSequence
      item.state.contentSequence = item.state.sequence
      item.content.visual?.body = body
      item.repeats = (item.repeats ?? Repeats(firstAt: item.arrival)).repeated(at: time)
    }
  }

  /// Gives an item these occurrences.
  package mutating func setRepeats(_ repeats: Repeats, of id: NotificationID, at time: Timestamp) {
    change(id, at: time) { $0.repeats = repeats }
  }

  /// Resolves an alert for its publisher.
  package mutating func resolve(_ id: NotificationID, at time: Timestamp) {
    guard let app = items[id]?.item.content.app else { return }
    let operation = Operation(
      id: OperationID(high: UInt64(sequence.rawValue), low: 8), target: .item(id),
      mutation: ItemCommand.dismiss.mutation)
    apply(operation, by: Author(kind: .publisher, id: app, name: app), at: time)
    change(id, at: time) { $0.state.resolved = time }
  }
}
