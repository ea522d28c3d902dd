package import BellhopClient
internal import BellhopText
internal import Glibc

extension Commands {
  private static let unitName = "bellhop-agent.service"

  /// Runs `bellhop agent --enable`, which writes a systemd user unit and starts it.
  ///
  /// - Throws: `ClientError`, also if systemd refuses; the error then refers to its message.
  package static func enableAgent(_ context: ClientContext) throws {
    guard let folder = PrivateStore.programFolder else {
      throw ClientError(.software, "The path of this program cannot be found.")
    }
    let path = try unitPath(context)
    try PrivateFile.write(unit(program: folder + "/bellhop", context), to: path)
    StandardError.say("Written: \(path)")
    guard let control = ChildProcess.find("systemctl", environment: context.environment) else {
      StandardError.say(
        "systemctl is not installed. Have your session start this at log-in instead: bellhop agent")
      return
    }
    for arguments in [["--user", "daemon-reload"], ["--user", "enable", "--now", unitName]] {
      guard try ChildProcess.run(control, arguments).exitCode == 0 else {
        throw ClientError(
          .tryLater, "systemctl \(arguments.joined(separator: " ")) failed.",
          next: "The unit file was written. Run that command yourself to see the reason.")
      }
    }
    StandardError.say("The agent is running, and will start at each log-in.")
    StandardError.say(
      "To stop it: bellhop agent --disable. Its log: journalctl --user -u bellhop-agent")
  }

  /// Runs `bellhop agent --disable`.
  ///
  /// - Throws: `ClientError`.
  package static func disableAgent(_ context: ClientContext) throws {
    let path = try unitPath(context)
    guard access(path, F_OK) == 0 else {
      StandardError.say("The agent was not enabled: \(path) does not exist.")
      return
    }
    if let control = ChildProcess.find("systemctl", environment: context.environment) {
      _ = try ChildProcess.run(control, ["--user", "disable", "--now", unitName])
    }
    guard unlink(path) == 0 else {
      throw ClientError(.inputOutput, "Cannot remove \(path): \(systemMessage(errno)).")
    }
    StandardError.say("The agent is stopped and no longer starts at log-in. Removed: \(path)")
  }

  private static func unitPath(_ context: ClientContext) throws -> String {
    let folder = String(context.directories.config.dropLast("/bellhop".count)) + "/systemd/user"
    try Directories.make(folder)
    return folder + "/" + unitName
  }

  /// Returns the unit (systemd.service(5)), with the folders of this run, as another run may
  /// differ.
  static func unit(program: String, _ context: ClientContext) -> String {
    unit(program: program, account: context.accountName, environment: context.environment)
  }

  /// Runs `bellhop agent --print-unit`, which prints a unit for all users of this machine.
  package static func printAgentUnit(program: String) {
    let text = unit(program: program, account: nil, environment: [:])
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      StandardOutput.line(SafeText(String(line)))
    }
  }

  private static func unit(
    program: String, account: String?, environment: [String: String]
  ) -> String {
    var lines = [
      "[Unit]", "Description=Bellhop: notifications while no screen is open", "", "[Service]",
    ]
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"] {
      if let value = environment[name], value.hasPrefix("/") {
        lines.append("Environment=" + quoted("\(name)=\(value)"))
      }
    }
    var command = [program, "agent"]
    if let account { command += ["--account", account] }
    lines += [
      // A dollar sign starts a variable in this setting only.
      "ExecStart=" + command.map { escapingVariables(quoted($0)) }.joined(separator: " "),
      "Restart=on-failure", "RestartSec=5",
      // An agent already runs, or the configuration is not valid, so a restart would not help.
      "RestartPreventExitStatus=75 78", "", "[Install]", "WantedBy=default.target", "",
    ]
    return lines.joined(separator: "\n")
  }

  private static func escapingVariables(_ word: String) -> String {
    word.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$")
  }

  /// Quotes a word of a unit file (systemd.syntax(7), "Quoting"; systemd.unit(5), "Specifiers").
  private static func quoted(_ word: String) -> String {
    var result = "\""
    for character in word {
      switch character {
      case "\"", "\\": result += "\\" + String(character)
      case "%": result += "%%"
      default: result.append(character)  // open: Character
      }
    }
    return result + "\""
  }
}
