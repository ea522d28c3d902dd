import BellhopCache
import BellhopClient
import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import FoundationEssentials
import Glibc

/// The data of the measurements, made once and stored on the disk.
struct Workspace {
  let root: String
  /// The real programs, built like this one.
  let bellhop: String
  let bellhopd: String
  let kind: ItemKind
  /// The folders that are removed at the end of this run.
  let leftovers = TemporaryFolders()

  static let account = AccountName("bench")
  static let userName = "bench"
  /// The version of the data; it changes when the data would be made differently.
  private static let version = 2

  init(root: String, _ kind: ItemKind) throws {
    self.kind = kind
    // An absolute path is required: some programs run in a folder of their own.
    let here = FileManager.default.currentDirectoryPath
    self.root = root.hasPrefix("/") ? root : here + "/" + root
    let folder = Files.programFolder()
    bellhop = folder + "/bellhop"
    bellhopd = folder + "/bellhopd"
    for path in [bellhop, bellhopd] where !Files.isExecutable(path) {
      throw BenchError("\(path) does not exist. Build everything: swift build -c release")
    }
    try Files.makeFolder(self.root)
  }

  static func now() -> Timestamp { SystemClock.now() }

  /// Creates an empty folder for one measurement.
  func scratch(_ name: String) throws -> String {
    let path = root + "/scratch-" + name
    Files.remove(path)
    leftovers.add(path)
    try Files.makeFolder(path)
    return path
  }

  static func identity() -> CacheIdentity {
    CacheIdentity(account: account) {
      Lineage("bench-" + String(UInt64.random(in: .min ... .max), radix: 16))
    }
  }

  // MARK: Homes

  /// Returns a home whose account's cache contains `items`; its store does not run.
  func home(items: Int) throws -> Home {
    let home = Home(root: root + "/home-\(kind)-\(items)")
    let mark = home.root + "/made-\(Self.version)"
    if Files.exists(mark) { return home }
    Files.remove(home.root)
    let account = try home.makeAccount(url: "http://127.0.0.1:9", token: "none")
    try makeCache(home.cachePath(account), items: items)
    try Files.write("", to: mark)
    return home
  }

  private func makeCache(_ path: String, items: Int) throws {
    say("making a cache of \(shortCount(items)) items")
    let cache = try SQLiteCache(path: path, identity: Self.identity())
    let device = Author(kind: .device, id: "other", name: "work-laptop")
    try cache.setAuthor(Author(kind: .device, id: "bench", name: "bench"))
    let maker = ItemMaker(kind, end: Self.now().advanced(by: .seconds(-60)), count: items)
    for start in stride(from: 0, to: items, by: ChangeChunk.changesMax) {
      let stop = min(start + ChangeChunk.changesMax, items)
      let changes = (start..<stop).map { Change.item(maker.notification($0, device: device)) }
      let isLast = stop == items
      _ = try cache.apply(
        ChangeChunk(
          request: .page(nil), generation: 1, changes: changes,
          end: isLast
            ? .page(
              next: nil, start: DeltaToken("start"), startSequence: SequenceNumber(Int64(items)))
            : nil),
        now: Self.now())
    }
    _ = try cache.apply(
      ChangeChunk(
        request: .delta(since: DeltaToken("start")), generation: 1, changes: [],
        end: .delta(
          DeltaToken("start"), at: SequenceNumber(Int64(items)), isCaughtUp: true)),
      now: Self.now())
    while try cache.drainIndexQueue(limit: 5000) {}
  }

  // MARK: Stores

  /// Returns the folder of a store that contains `items`.
  func store(items: Int) async throws -> StoreFolder {
    let folder = StoreFolder(path: root + "/store-\(kind)-\(items)")
    let mark = folder.path + "/made-\(Self.version)"
    if Files.exists(mark) { return folder }
    Files.remove(folder.path)
    try Files.makeFolder(folder.path)
    say("making a store of \(shortCount(items)) items")
    try await makeStore(folder, items: items)
    try Files.write("", to: mark)
    return folder
  }

  /// Returns a copy of a store that a measurement may change.
  func storeCopy(items: Int, _ name: String) async throws -> StoreFolder {
    let source = try await store(items: items)
    let folder = StoreFolder(path: try scratch(name))
    try Files.copy(source.database, to: folder.database)
    try Files.copy(source.path + "/tokens", to: folder.path + "/tokens")
    return folder
  }

  private func makeStore(_ folder: StoreFolder, items: Int) async throws {
    let backend = try SQLiteBackend(path: folder.database)
    let service = try await StoreService.open(
      .starting, on: backend, environment: StoreFolder.environment)
    let user = try await service.addUser(named: Self.userName)
    var tokens: [String] = []
    for name in StoreFolder.deviceNames {
      tokens.append(
        try await service.mintToken(named: name, scope: .device(nil), for: user.id).secret.text)
    }
    tokens.append(
      try await service.mintToken(named: "publish", scope: .publish(.any), for: user.id)
        .secret.text)
    try Files.write(tokens.joined(separator: "\n") + "\n", to: folder.path + "/tokens")
    let maker = ItemMaker(kind, end: Self.now().advanced(by: .seconds(-60)), count: items)
    let device = Author(kind: .device, id: "other", name: "work-laptop")
    for start in stride(from: 0, to: items, by: 2000) {
      let range = start..<min(start + 2000, items)
      try await backend.write(
        in: .user(user.id),
        { transaction in
          for index in range {
            let item = maker.notification(index, device: device)
            try transaction.put(
              item, leaves: item.arrival.advanced(by: .seconds(365 * 86_400)), of: user.id)
          }
          guard var counters = try transaction.counters(of: user.id) else { return }
          counters.sequence = SequenceNumber(Int64(range.upperBound))
          counters.shortNumber = Int64(range.upperBound)
          try transaction.setCounters(counters, of: user.id)
        }, committed: { _ in })
    }
    await service.close()
  }

  private func say(_ text: String) { Files.say(text + " …", to: STDERR_FILENO) }
}

/// The folder of a store and its tokens.
struct StoreFolder: Sendable {
  let path: String

  static let deviceNames = ["desktop", "laptop", "extra"]
  static let environment = StoreEnvironment(
    now: { Workspace.now() }, random: { UInt64.random(in: .min ... .max) })

  var database: String { path + "/store.sqlite" }

  /// Returns the device tokens in the order of ``deviceNames``, followed by the publish token.
  func tokens() throws -> [String] {
    try Files.read(path + "/tokens").split(separator: "\n").map(String.init)
  }
}

/// A set of XDG directories, for one device.
struct Home {
  let root: String

  var environment: [String: String] {
    [
      "XDG_CONFIG_HOME": root + "/config", "XDG_STATE_HOME": root + "/state",
      "XDG_DATA_HOME": root + "/data", "XDG_RUNTIME_DIR": root + "/run",
    ]
  }

  /// Creates the account with its folders, as signing in does.
  func makeAccount(url: String, token: String, device: String = "bench") throws -> Account {
    for folder in ["config", "state", "data", "run"] {
      try Files.makeFolder(root + "/" + folder)
    }
    let json = """
      {"name": "\(Workspace.account)", "url": "\(url)", "device": "\(device)", \
      "deviceName": "\(device)", "isPrivate": false}
      """
    let account = try JSONDecoder().decode(Account.self, from: Data(json.utf8))
    let directories = try Directories(environment: environment, userID: getuid())
    try Accounts(directories: directories).save(account, token: token)
    return account
  }

  /// Signs in at a server and opens the screen, whose cells can be read.
  func openScreen(
    of workspace: Workspace, at server: Server, token: String, device: String
  ) throws -> Terminal {
    _ = try makeAccount(url: "http://127.0.0.1:\(server.port)", token: token, device: device)
    return try Terminal(
      workspace.bellhop, [], environment: Terminal.environment(home: root, adding: environment),
      readsScreen: true)
  }

  func cachePath(_ account: Account) throws -> String {
    try Directories(environment: environment, userID: getuid()).account(account.name)
      + "/cache.sqlite"
  }
}
