extension Command {
  /// All commands, in the order of the help and the manual.
  ///
  /// Each feature lists its own.
  package static let all: [Command] = [
    movingCommands, groupCommands, handlingCommands, scheduleCommands, undoCommands, markCommands,
    actionCommands,
    linkCommands, textCommands, attachmentCommands, inspectCommands, searchCommands,
    filterCommands, sortCommands, appCommands, newAppCommands, tabCommands, accountCommands,
    viewCommands,
    splitCommands,
    firstRunCommands, tourCommands, attentionCommands, privacyCommands, themeCommands,
    paletteCommands,
    deviceCommands, activityCommands, helpCommands, programCommands,
  ].flatMap(\.self)
}

extension InboxState {
  /// Performs a command, or shows the reason why it would do nothing.
  mutating func perform(_ command: Command, _ effects: inout [Effect]) {
    if let reason = command.disabledReason(self) {
      say(reason.text)
    } else {
      command.perform(&self, &effects)
    }
  }
}
