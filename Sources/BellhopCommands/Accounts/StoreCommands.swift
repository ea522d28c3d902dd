package import BellhopClient
internal import BellhopModel
internal import BellhopText

extension Commands {
  /// Runs `bellhop store status`.
  package static func storeStatus(_ context: ClientContext) throws {
    let status = try context.privateStore().status()
    let state = status.isRunning ? "running" : "not running"
    StandardOutput.line(
      SafeText("store     \(state)" + (status.processID.map { " (process \($0))" } ?? "")))
    StandardOutput.line(SafeText("publish   \(status.publishAddress ?? "not started yet")"))
    if let note = status.portNote { StandardOutput.line(SafeText("note      \(note)")) }
    StandardOutput.line(SafeText("header    \(status.headerFile)"))
    StandardOutput.line(SafeText("data      \(status.directory)"))
  }

  /// Runs `bellhop store start`.
  package static func storeStart(_ context: ClientContext) throws {
    let store = try context.privateStore()
    let started = try store.start(accounts: context.accounts)
    if let notice = started.notice { StandardError.say(notice) }
    try storeStatus(context)
  }

  /// Runs `bellhop store stop`.
  package static func storeStop(_ context: ClientContext) throws {
    let wasRunning = try context.privateStore().stop()
    StandardError.say(wasRunning ? "Stopped the store." : "The store was not running.")
  }

  /// Runs `bellhop store token`.
  package static func storeToken(_ context: ClientContext) throws {
    let store = try context.privateStore()
    _ = try store.start(accounts: context.accounts)
    StandardOutput.line(SafeText(try store.renewPublishToken()))
  }

  /// Runs `bellhop accounts`.
  package static func accounts(_ context: ClientContext, asJSON: Bool) throws {
    struct Line: Encodable {
      var name: String
      var url: String
      var device: String
      var isDefault: Bool
    }
    let accounts = context.accounts
    let current = try? accounts.current(named: nil)
    let all = try accounts.all()
    for account in all {
      let isDefault = account == current
      if asJSON {
        try StandardOutput.jsonLine(
          Line(
            name: account.name.rawValue, url: account.url, device: account.device.rawValue,
            isDefault: isDefault))
      } else {
        let name = SafeText(account.name.rawValue).padded(to: 16)
        StandardOutput.line(
          (isDefault ? "* " : "  ") + name + " " + SafeText(account.url))
      }
    }
    if all.isEmpty {
      StandardError.say("There is no account yet. Run bellhop to create one with a private store.")
    }
  }

  /// Runs `bellhop accounts use NAME`.
  package static func useAccount(_ context: ClientContext, name: String) throws {
    try context.accounts.makeDefault(AccountName(name))
  }
}
