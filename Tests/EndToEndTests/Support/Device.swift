import BellhopTestSupport
import Foundation
import Glibc

/// A set of XDG directories, which Bellhop treats as a device.
struct Device: Sendable {
  let name: String
  let folder: String
  let environment: [String: String]
  private let launcher: [String]

  init(name: String, folder: String, fault: Fault? = nil) throws {
    self.name = name
    self.folder = folder
    launcher = fault?.launcher ?? []
    for part in ["config/bellhop", "state", "data", "run"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(part)", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    let plain = [
      "HOME": folder, "XDG_CONFIG_HOME": folder + "/config", "XDG_STATE_HOME": folder + "/state",
      "XDG_DATA_HOME": folder + "/data", "XDG_RUNTIME_DIR": folder + "/run",
      "PATH": Programs.folder + ":/usr/bin:/bin", "TZ": "UTC", "LANG": "C.UTF-8",
      "TERM": "xterm-256color", "SHELL": "/bin/sh",
    ]
    environment = plain.merging(fault?.environment ?? [:]) { $1 }
      .merging(Programs.mutant) { $1 }
  }

  var configFile: String { folder + "/config/bellhop/config.toml" }
  var themeFolder: String { folder + "/config/bellhop/themes" }
  var publishHeaderFile: String { folder + "/config/bellhop/publish" }
  var accountsFolder: String { folder + "/state/bellhop/accounts" }
  private var privateStoreFolder: String { folder + "/data/bellhop/store" }

  /// The process of the private store; nil if this device runs none.
  var privateStoreProcess: pid_t? {
    guard let data = try? Data(contentsOf: URL(filePath: privateStoreFolder + "/pid")),
      let process = pid_t(String(decoding: data.dropLast(), as: UTF8.self)), process > 1,
      Self.commandLine(of: process).contains(folder)
    else { return nil }
    return process
  }

  /// The cache of the only account.
  func cacheFile() throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: accountsFolder)
    guard names.count == 1 else { throw NotSeen("one account", seen: "\(names)") }
    return "\(accountsFolder)/\(names[0])/cache.sqlite"
  }

  /// Runs a program of this device to its end.
  @discardableResult
  func run(
    program: String, _ arguments: [String], input: String? = nil,
    environment changes: [String: String] = [:], within limit: Duration = patience
  ) async throws -> Outcome {
    let child = try Child(
      program, arguments, environment: environment.merging(changes) { $1 }, directory: folder,
      folder: folder + "/output", input: input, launcher: launcher)
    do {
      let ending = try await child.waitForEnd(within: limit)
      let exitCode: Int32 =
        switch ending {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
      return Outcome(
        output: child.output, outputBytes: child.outputBytes, errors: child.errors,
        exitCode: exitCode)
    } catch {
      await child.end()
      throw error
    }
  }

  /// Runs `bellhop` and accepts any exit code.
  func bellhop(
    _ arguments: String..., input: String? = nil, environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await run(program: Programs.bellhop, arguments, input: input, environment: environment)
  }

  /// Runs `bellhop`, which must succeed, and returns its output.
  @discardableResult
  func succeed(_ arguments: String..., input: String? = nil) async throws -> String {
    let outcome = try await run(program: Programs.bellhop, arguments, input: input)
    guard outcome.exitCode == 0 else {
      throw NotSeen(
        "success of bellhop \(arguments.joined(separator: " "))",
        seen: "exit code \(outcome.exitCode)\n\(outcome.output)\(outcome.errors)")
    }
    return outcome.line
  }

  /// The items that `bellhop list` or `search` prints from the cache, without synchronisation.
  ///
  /// A round of synchronisation would hide that something else did not bring them.
  func items(_ arguments: String...) async throws -> [ListedItem] {
    let arguments = (arguments.isEmpty ? ["list", "--all"] : arguments) + ["--json", "--offline"]
    let outcome = try await run(program: Programs.bellhop, arguments)
    guard outcome.exitCode == 0 else {
      throw NotSeen("a list", seen: "exit code \(outcome.exitCode)\n\(outcome.errors)")
    }
    return try outcome.lines.map {
      try JSONDecoder().decode(ListedItem.self, from: Data($0.utf8))
    }
  }

  /// The only item with this title, among all that are kept.
  func item(titled title: String) async throws -> ListedItem? {
    let items = try await items().filter { $0.title == title }
    guard items.count <= 1 else { throw NotSeen("one \(title)", seen: "\(items)") }
    return items.first
  }

  /// Waits until the item with this title meets `condition`.
  @discardableResult
  func waitForItem(
    titled title: String, _ what: String, where condition: (ListedItem) -> Bool = { _ in true }
  ) async throws -> ListedItem {
    var last: ListedItem?
    return try await eventually(
      "\(title) on \(name) \(what)", every: .milliseconds(150),
      last: "\(String(describing: last))"
    ) {
      last = try await item(titled: title)
      return last.flatMap { condition($0) ? $0 : nil }
    }
  }

  /// Signs in with a new token of the store's user.
  func signIn(to store: StoreProcess, url: String? = nil) async throws {
    let token = try await store.token(scope: "device")
    let file = folder + "/token"
    try write(token + "\n", to: file)
    try await succeed(
      "login", url ?? store.url, "--token-file", file, "--device", name, "--name", "home")
  }

  func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
    chmod(path, 0o600)
  }

  /// A file's permissions.
  static func mode(of path: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }

  /// Ends the private store of this device, if there is one.
  func endPrivateStore() async {
    guard let process = privateStoreProcess else { return }
    kill(process, SIGKILL)
    try? await eventually("the end of the private store") { kill(process, 0) != 0 }
  }

  /// The command line of a process; empty if there is none.
  static func commandLine(of process: pid_t) -> String {
    guard let file = fopen("/proc/\(process)/cmdline", "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count).map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
  }
}

/// An item as `--json` prints it.
struct ListedItem: Decodable, Hashable, Sendable {
  var number: Int64
  var id: String
  var account: String
  var app: String
  var appNotificationId: String?
  var group: String?
  var title: String?
  var subtitle: String?
  var body: String?
  var raw: String?
  var priority: String
  var tags: [String]
  var url: String?
  var placement: String
  var read: Bool
  var action: String
  var snoozedUntil: String?
  var kept: Bool
  var handledBy: String?
  var handledAt: String?
  var arrival: String
  var created: String
  var changed: String
  var expires: String?
  var waiting: Bool
}
