internal import BellhopCache
internal import BellhopModel
internal import BellhopText

extension Commands {
  /// `bellhop undo`: takes back what the last command changed; again, what the one before changed.
  ///
  /// - Throws: ``ClientError`` with exit code 66 when there is nothing to take back, or a delete is
  ///   final already.
  package static func undo(_ context: ClientContext, waits: Bool) throws {
    let access = try CacheAccess(context, startsStore: false)
    guard let undone = try takeBack(access) else {
      throw ClientError(
        .noSuchItem, "There is no change of a command to undo.",
        next: "Nothing was changed. On the screen, u undoes what was done there.")
    }
    let summary = undone.change.summary
    let seconds = deleteGrace.components.seconds
    if undone.cancelled.isEmpty, undone.isTooLate {
      throw ClientError(
        .noSuchItem, "Too late to undo: \(summary).",
        next: "A delete is final after \(seconds) s, and at once where the command did not run on "
          + "a terminal.")
    }
    StandardError.say(SafeText("Undone: \(summary)."))
    if undone.isTooLate {
      let late = undone.change.deletes.count - undone.cancelled.count
      StandardError.say("\(late) of its deletes were final already.")
    }
    try send(access, waits: waits, operations: undone.change.undo)
    try reportOutcomes(access, of: Set(undone.change.undo.map(\.id)))
  }

  private static func takeBack(_ access: CacheAccess) throws -> UndoneChange? {
    try failing {
      let undone = try access.storage().undoCommandChange(now: try access.storeTime())
      if undone != nil { try overlay(access) }
      return undone
    }
  }
}
