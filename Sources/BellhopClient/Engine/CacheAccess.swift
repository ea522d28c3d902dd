package import BellhopCache
package import BellhopModel
package import BellhopSync
internal import BellhopWire
internal import Synchronization

/// The cache of the account that a command or a screen uses.
///
/// A missing cache is created. A damaged one is replaced after its outbox was rescued. One of a
/// newer version is left alone (exit 78).
package final class CacheAccess: Sendable {
  package let account: Account
  package let context: ClientContext
  /// A notice for the user about the account, such as a new port of its store.
  package let notice: String?
  /// Whether the private store was started for the first time because there was no account.
  let isFirst: Bool
  /// Whether this program started the private store.
  private let startedStore: Bool
  private let opened = Mutex<Opened>(Opened())

  private struct Opened {
    var storage: SQLiteCache?
    var reader: CacheReader?
  }

  /// The number of rows moved per transaction, small enough not to delay the response to a key.
  private static let dueItemsChunk = 250

  /// Opens the cache of the account that `context` names.
  ///
  /// - Throws: ``ClientError``.
  package init(_ context: ClientContext, startsStore: Bool) throws {
    isFirst = try context.accounts.all().isEmpty
    (account, notice, startedStore) = try context.account(startsStore: startsStore)
    self.context = context
  }

  package init(_ context: ClientContext, account: Account) {
    self.account = account
    self.context = context
    isFirst = false
    notice = nil
    startedStore = false
  }

  /// Reports on standard error that the private store was started, and any change with it.
  package func sayStart() {
    if isFirst {
      StandardError.say(
        "There was no account, so a private store was started on this machine. "
          + "To stop it: bellhop store stop")
    } else if startedStore {
      StandardError.say("Started the private store.")
    }
    if let notice { StandardError.say(notice) }
  }

  /// Returns the caches of the accounts that a command applies to: the one in `context`, or all.
  ///
  /// - Throws: ``ClientError``, also if `all` is combined with a named account.
  package static func chosen(
    _ context: ClientContext, all: Bool, startsStore: Bool = false
  ) throws -> [CacheAccess] {
    guard all else { return [try CacheAccess(context, startsStore: startsStore)] }
    guard context.accountName == nil else {
      throw ClientError(.usage, "Use --account or --all-accounts, not both.")
    }
    let accounts = try context.accounts.all()
    guard !accounts.isEmpty else { return [try CacheAccess(context, startsStore: startsStore)] }
    return accounts.map { CacheAccess(context, account: $0) }
  }

  private var path: String { context.directories.cachePath(account.name) }

  private var identity: CacheIdentity {
    let random = context.random
    func name() -> String { String(random(), radix: 16) + "-" + String(random(), radix: 16) }
    var identity = CacheIdentity(
      account: account.name, wallClock: SystemClock.wallClock, owner: OutboxOwner(name()),
      form: CacheIdentity.form(WireForm.number, in: account.environment ?? .production)
    ) {
      Lineage(String(random(), radix: 16) + "-" + String(random(), radix: 16))
    }
    identity.repeatRings = context.configuration.repeatRings
    return identity
  }

  /// Returns the writer, which is opened at its first use.
  package func storage() throws -> SQLiteCache {
    try opened.withLock { opened in
      if let storage = opened.storage { return storage }
      let storage = try openStorage()
      opened.storage = storage
      return storage
    }
  }

  private func openStorage() throws -> SQLiteCache {
    do throws(CacheError) {
      return try SQLiteCache(path: path, identity: identity)
    } catch {
      guard case .corrupt = error else { throw ClientError(error) }
      // No other process may have the file open while it is moved away.
      let lock = EngineLock(path: context.directories.lockPath(account.name))
      guard (try? lock.tryLock()) == true else {
        throw ClientError(
          .tryLater, "The cache is damaged, and another bellhop is using it.",
          next: "Quit that one and start again: unsent changes are rescued.")
      }
      defer { lock.unlock() }
      do throws(CacheError) {
        let salvage = try SQLiteCache.salvage(at: path, identity: identity, now: context.now())
        StandardError.say(
          "The cache was damaged. Unsent changes are safe: "
            + salvage.rescuedCount.counted("change")
            + ". The old file is now \(salvage.keptAside). The rest comes from the store again."
        )
        return try SQLiteCache(path: path, identity: identity)
      } catch {
        throw ClientError(error)
      }
    }
  }

  /// Returns a reader with its own connection. Creates the cache if there is none yet.
  package func reader() throws -> CacheReader {
    if let reader = opened.withLock({ $0.reader }) { return reader }
    let reader = try newReader()
    opened.withLock { $0.reader = reader }
    return reader
  }

  /// Returns another reader, for another thread.
  package func newReader() throws -> CacheReader {
    do throws(CacheError) {
      return try CacheReader(path: path, account: account.name)
    } catch {
      switch error {
      case .missing, .corrupt, .olderSchema:
        // Opening the cache for writing creates, repairs or migrates it.
        _ = try storage()
        return try CacheReader(path: path, account: account.name)
      case .newerSchema, .otherAccount, .full, .io, .interrupted: throw ClientError(error)
      }
    }
  }

  /// Returns the store's time: this machine's clock plus the offset that was last measured.
  package func storeTime() throws -> Timestamp {
    context.now().advanced(by: try reader().syncState().clockOffset)
  }

  /// Moves items that have become due since the last check. Writes only if there are any.
  package func moveDueItems() throws {
    let now = try storeTime()
    guard let due = try reader().nextDue(), due <= now else { return }
    let storage = try storage()
    while let next = try storage.moveDueItems(now: now, limit: Self.dueItemsChunk).nextDue,
      next <= now
    {}
  }

  /// Returns the item that the user names by its number, its id or the beginning of the id.
  ///
  /// - Parameter consequence: A sentence that says what was not done if there is no such item; nil
  ///   for commands that only read.
  /// - Throws: ``ClientError`` with exit code 64 if the name is not valid, and 66 if no item or
  ///   several items match.
  package func item(
    named name: String, consequence: String? = "Nothing was changed."
  ) throws -> CachedItem {
    func error(_ code: ExitCode, _ what: String, _ advice: String) -> ClientError {
      ClientError(
        code, what, next: [consequence, advice].compactMap(\.self).joined(separator: " "))
    }
    let reader = try reader()
    var references: [ItemReference] = []
    if let number = Int64(name), number > 0 { references.append(.number(number)) }
    if let reference = ItemReference(name), !references.contains(reference) {
      references.append(reference)
    }
    guard !references.isEmpty else {
      throw error(
        .usage, "\"\(name.prefix(64))\" is not an item number or id.",
        "Use a number such as 12; bellhop list shows the numbers, bellhop list --ids the ids.")
    }
    for reference in references {
      switch try reader.lookUp(reference) {
      case .found(let item): return item
      case .notFound: continue
      case .ambiguous(let ids):
        throw error(
          .noSuchItem, "\(ids.count) ids begin with \(name.prefix(64)).",
          "Use more of the id: " + ids.map(\.description).joined(separator: ", "))
      }
    }
    throw error(
      .noSuchItem, "No item has the number or id \(name.prefix(64)).",
      "bellhop list shows the tray, bellhop list --all all items.")
  }
}

extension TransportError {
  /// The exit code of a failure that is not about signing in: this machine's disk is not the store.
  package var exitCode: ExitCode {
    if case .cache = self { .inputOutput } else { .storeUnavailable }
  }

  /// The exit code of a command whose request the store refused or could not answer.
  package var refusalCode: ExitCode {
    switch self {
    case .unauthorized, .signInEnded, .revoked, .forbidden: .notAllowed
    case .throttled: .tryLater
    case .server(let status, _): (400..<500).contains(status) ? .badData : .storeUnavailable
    case .cache, .offline, .timedOut, .resyncRequired, .outOfOrder, .outboxDiverged, .badAnswer,
      .unknownDevice, .badAddress, .insecure, .providerOffline, .provider, .cancelled:
      exitCode
    }
  }
}

extension ClientError {
  /// Converts an error of another module for a command; nil if the program does not know it.
  package init?(wrapping error: any Error) {
    switch error {
    case let error as ClientError: self = error
    case let error as CacheError: self.init(error)
    case let error as TransportError:
      let isExplained = error.isUnreachable || error.exitCode == .inputOutput
      self.init(
        isExplained ? error.exitCode : .software, error.sentence,
        next: [error.advice, "Your local data is safe."].compactMap(\.self).joined(separator: " "))
    case let error as EngineLock.LockError: self.init(.inputOutput, error.description)
    case let error as NudgeSocket.SocketError: self.init(.inputOutput, error.description)
    case let error as any ExplainedError: self.init(.software, error.description.sentence)
    default: return nil  // open: any Error
    }
  }

  /// Converts any error. Errors of other libraries get a general text.
  package init(explaining error: any Error) {
    self =
      ClientError(wrapping: error)
      ?? ClientError(
        .software, error.explanation, next: "bellhop doctor checks for possible causes.")
  }

  /// Converts a failure of the cache, with a fitting exit code.
  package init(_ error: CacheError) {
    let code: ExitCode =
      switch error {
      case .newerSchema, .otherAccount: .configuration
      case .missing, .olderSchema, .corrupt: .badData
      case .full, .io: .inputOutput
      case .interrupted: .tryLater
      }
    self.init(code, error.description)
  }
}
