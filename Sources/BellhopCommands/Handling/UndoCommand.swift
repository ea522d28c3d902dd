internal import BellhopCache
package import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopText

extension Commands {
  /// Runs `bellhop undo`, which reverts the last command's change; repeated, the change before it.
  ///
  /// - Throws: `ClientError` with exit code 66 if there is nothing to undo, a delete is already
  ///   final, the items were deleted since, or the settings were changed again since.
  package static func undo(_ context: ClientContext, waits: Bool) throws {
    let access = try CacheAccess(context, startsStore: false)
    guard let undone = try takeBack(access) else {
      throw ClientError(
        .noSuchItem, "No command changed anything that can be undone.",
        next: "To undo changes made on the screen, press u there.")
    }
    let summary = undone.change.summary
    let seconds = deleteGrace.components.seconds
    if undone.cancelled.isEmpty, undone.isTooLate {
      throw ClientError(
        .noSuchItem, "Too late to undo: \(summary).",
        next: "A delete is final after \(seconds) s, or at once if the command did not run on a "
          + "terminal.")
    }
    if !undone.change.undo.isEmpty, undone.operations.isEmpty { throw obsolete(undone.change) }
    StandardError.say(SafeText("Undone: \(summary)."))
    if undone.obsoleteCount > 0 {
      StandardError.say(
        undone.change.isOfRules
          ? "\(undone.obsoleteCount) of its rules were changed again or removed in the meantime."
          : "\(undone.obsoleteCount) of its items were deleted in the meantime.")
    }
    if undone.isTooLate {
      let late = undone.change.deletes.count - undone.cancelled.count
      StandardError.say("\(late) of its deletes were already final.")
    }
    try send(access, waits: waits, operations: undone.operations)
    try reportOutcomes(access, of: Set(undone.operations.map(\.id)))
  }

  /// Returns the error for a change of which nothing is left to undo.
  private static func obsolete(_ change: CommandChange) -> ClientError {
    let what =
      if change.isOfRules {
        change.undo.count == 1
          ? "\(change.subject ?? "The rule") was changed again or removed in the meantime"
          : "All \(change.undo.count) rules were changed again or removed in the meantime"
      } else if change.settings != nil {
        "The settings of \(change.subject ?? "the app") were changed again in the meantime"
      } else if change.undo.count == 1 {
        "\(change.subject ?? "The item") was deleted in the meantime"
      } else {
        "All \(change.undo.count) items were deleted in the meantime"
      }
    return ClientError(
      .noSuchItem, "\(what); nothing was undone.",
      next: "Run bellhop undo again to undo the change before it.")
  }

  private static func takeBack(_ access: CacheAccess) throws -> UndoneChange? {
    try failing {
      let storage = try access.storage()
      let lock = EngineLock(path: access.context.directories.lockPath(access.account.name))
      // Held during the undo, so that no engine starts.
      let isEngine = try lock.tryLock()
      defer { lock.unlock() }
      let undone = try storage.undoCommandChange(
        now: try access.storeTime(), sealsDue: isEngine)
      if undone != nil { try overlay(access) }
      return undone
    }
  }
}

extension CommandChange {
  /// Whether the command changed rules.
  fileprivate var isOfRules: Bool { undo.contains { $0.rule != nil } }
}
