package import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

extension Commands {
  /// A check as `bellhop doctor --json` prints it. The topic `watch` lists the keys.
  private struct DoctorLine: Encodable {
    var check: String
    var account: String?
    var status: String
    var text: String
    var advice: String?
    var exitCode: Int32?
  }

  /// Runs `bellhop doctor`, which reports problems and how to fix them.
  ///
  /// Also works without a network, and with a configuration that prevents all other commands.
  ///
  /// - Returns: The exit code of the first broken check; success if none is broken.
  /// - Throws: `ClientError` if `--account` and `--all-accounts` are combined, or if there is no
  ///   home directory.
  package static func doctor(
    account: String?, ofAllAccounts: Bool, asJSON: Bool
  ) throws -> ExitCode {
    guard account == nil || !ofAllAccounts else {
      throw ClientError(.usage, "Use --account or --all-accounts, not both.")
    }
    let (context, problem) = try ClientContext.tolerant(account: account)
    var code = ExitCode.success
    func tell(_ check: DoctorCheck, _ examination: Examination, isNamed: Bool) throws {
      guard let finding = check.finding(examination) else { return }
      if finding.grade == .broken, code == .success { code = finding.exitCode }
      let name = check.isOfAccount ? examination.account?.name.rawValue : nil
      if asJSON {
        try StandardOutput.jsonLine(
          DoctorLine(
            check: check.id, account: name, status: finding.grade.rawValue, text: finding.text,
            advice: finding.advice,
            exitCode: finding.grade == .broken ? finding.exitCode.rawValue : nil))
      } else {
        let title = check.title + (isNamed ? name.map { " (\($0))" } ?? "" : "")
        let titleCells = isNamed ? 30 : 17
        // One line per problem of a file.
        for (index, line) in finding.text.split(separator: "\n").enumerated() {
          StandardOutput.line(
            SafeText(index == 0 ? finding.grade.rawValue : "").padded(to: 8) + " "
              + SafeText(index == 0 ? title : "").padded(to: titleCells)
              + " " + SafeText(String(line), byteLimit: 1024))
        }
        if let advice = finding.advice {
          let advice = ProgramName.own.written(in: advice)
          StandardOutput.line("         → " + SafeText(advice, byteLimit: 1024))
        }
      }
    }
    let device = Examination(context: context, configurationProblem: problem, account: nil)
    for check in DoctorCheck.all where !check.isOfAccount {
      try tell(check, device, isNamed: false)
    }
    let accounts =
      ofAllAccounts
      ? (try? context.accounts.all()) ?? []
      : ((try? context.accounts.current(named: account)) ?? nil).map { [$0] } ?? []
    for account in accounts {
      let examination = Examination(
        context: context, configurationProblem: problem, account: account)
      defer { examination.end() }
      for check in DoctorCheck.all where check.isOfAccount {
        try tell(check, examination, isNamed: accounts.count > 1)
      }
    }
    return code
  }
}
