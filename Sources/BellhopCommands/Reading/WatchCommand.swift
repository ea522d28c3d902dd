internal import BellhopCache
package import BellhopClient
internal import BellhopKit
internal import BellhopModel
internal import BellhopSync
internal import FoundationEssentials

/// The options of `bellhop watch`.
package struct WatchRequest: Sendable {
  /// The name under which the position is stored: letters, digits, dots, dashes and underscores.
  package var name: String
  /// The apps to watch; empty for all.
  package var apps: [String] = []
  /// The filter, as the user types it; nil for none.
  package var filter: String?
  package var isTrayOnly = false
  package var isUnreadOnly = false
  /// Whether to begin with all stored items.
  package var startsAtBeginning = false
  /// The command to run for each change, through `sh`; nil to print lines.
  package var command: String?
  package var asJSON = false

  package init(name: String) { self.name = name }

  /// The options of the reader.
  ///
  /// A deleted item has no known state, so it cannot be in the tray or match a filter.
  var options: ReaderOptions {
    ReaderOptions(
      start: startsAtBeginning ? .beginning : .end, readStates: isUnreadOnly ? [.unread] : nil,
      placements: isTrayOnly ? [.tray] : nil,
      statuses: isTrayOnly || isUnreadOnly || filter != nil ? [.active] : [.active, .deleted],
      apps: apps.isEmpty ? nil : Set(apps))
  }
}

extension Commands {
  /// The longest wait for pending changes when the command ends.
  private static let stopLimit: Duration = .seconds(3)

  /// Runs `bellhop watch`, which prints a line or runs a command for each change until it is ended.
  package static func watch(_ context: ClientContext, _ request: WatchRequest) throws {
    let access = try CacheAccess(context, startsStore: true)
    if let notice = access.notice { StandardError.say(notice) }
    let place = try WatchPlace(access, name: request.name)
    let setup = try EngineSetup(access, joinsNudges: true)
    let filter = try request.filter.map { try FilterOption.filter($0, for: [access]) }
    let watcher = Watcher(access: access, request: request, filter: filter, place: place)
    let signals = EndSignals()
    if request.command == nil { signals.includeOutput() }
    try runBlocking {
      let feed = UserDataFeed(setup.feedParts())
      let reader = try watcher.reader(of: feed.channel)
      let events = await feed.events()
      try await feed.start()
      let telling = Task { await tell(events) }
      let work = Task { try await watcher.follow(reader) }
      signals.onArrival { work.cancel() }
      let result = await work.result
      await feed.stop(within: stopLimit)
      await telling.value
      withExtendedLifetime(signals) {}
      try result.get()
    }
  }
}

extension Commands {
  /// Reports why no changes arrive any more.
  ///
  /// A store that does not respond is not a reason: its changes arrive once it responds.
  fileprivate static func tell(_ events: AsyncStream<FeedEvent>) async {
    var isSignedOut = false
    for await case .status(let status) in events {
      let wasSignedOut = isSignedOut
      isSignedOut = if case .signInAgain = status { true } else { false }
      guard isSignedOut, !wasSignedOut else { continue }
      StandardError.say(
        "The store no longer accepts this device: sign in again with bellhop login. "
          + "This watch then continues.")
    }
  }
}

/// The position of a watch, in a file of the account's folder.
///
/// The lock is held for the lifetime of the object. Two watches of one name would each report only
/// half of the changes.
struct WatchPlace: Sendable {
  private let path: String
  private let lock: EngineLock

  /// - Throws: `ClientError` with exit code 75 if a watch of that name is running.
  init(_ access: CacheAccess, name: String) throws {
    guard name.isASCIIAlphanumeric(or: ".-_"), (1...64).contains(name.utf8.count),
      !name.hasPrefix(".")
    else {
      throw ClientError(
        .usage, "A watch's name must have 1 to 64 letters, digits, dots, dashes and underscores.")
    }
    let folder = access.context.directories.account(access.account.name) + "/watch"
    try Directories.make(folder)
    path = folder + "/\(name).json"
    lock = EngineLock(path: folder + "/\(name).lock")
    guard try lock.tryLock() else {
      throw ClientError(
        .tryLater, "A watch named \(name) is already running.",
        next: "Use another name with --name.")
    }
  }

  /// Reads the position; nil if there is none or it is damaged.
  func load() throws -> ReaderPosition? {
    guard let text = try PrivateFile.read(path, isSecret: false) else { return nil }
    guard let position = try? JSONDecoder().decode(ReaderPosition.self, from: Data(text.utf8))
    else {
      StandardError.say("\(path) is damaged: this watch starts with changes from now on.")
      return nil
    }
    return position
  }

  func save(_ position: ReaderPosition) throws {
    let data: Data
    do {
      data = try JSONEncoder().encode(position)
    } catch {
      throw ClientError(.software, "The position of this watch cannot be saved.")
    }
    try PrivateFile.write(String(decoding: data, as: UTF8.self) + "\n", to: path)
  }
}

/// A reporter of a reader's changes, batch by batch.
private struct Watcher: Sendable {
  let access: CacheAccess
  let request: WatchRequest
  let filter: ListFilter?
  let place: WatchPlace

  /// The number of lines between two saves of the position.
  ///
  /// A command may take long and have effects that must not be repeated, so each has its own.
  private var batchMax: Int { request.command == nil ? 64 : 1 }

  /// Returns a reader that continues where the last watch stopped.
  func reader(of channel: UserNotificationChannel) throws -> UserNotificationReader {
    try channel.makeReader(
      request.options, at: request.startsAtBeginning ? nil : try place.load())
  }

  /// Reports changes until the task is cancelled or the reader of the output has gone.
  func follow(_ reader: UserNotificationReader) async throws {
    try place.save(await reader.position)
    while true {
      do throws(FeedError) {
        guard let batch = try await reader.nextBatch(max: batchMax) else { return }
        guard try await hasReported(batch) else { return }
      } catch {
        switch error {
        case .positionTooOld, .positionElsewhere:
          StandardError.say(
            "The changes since the last run are no longer known; this watch continues from now on. "
              + "Use --from-start to start with all items.")
          try await reader.startOver()
          try place.save(await reader.position)
        case .notRunning, .noSuchNotification, .offline, .timedOut, .signInAgain, .store, .cache:
          throw ClientError(.inputOutput, error.description.sentence)
        }
      }
    }
  }

  private func passes(_ change: NotificationChange) -> Bool {
    guard let filter else { return true }
    guard case .active(let item) = change else { return false }
    return filter.passes(item.notification, in: item.placement)
  }

  /// Reports a batch and returns whether it was reported completely. Only then is its position
  /// saved.
  private func hasReported(_ batch: NotificationBatch) async throws(FeedError) -> Bool {
    do {
      let lines = try WatchLines(access)
      for change in batch.changes {
        if Task.isCancelled { return false }
        guard passes(change) else { continue }
        if let command = request.command {
          await ShellCommand.run(
            command, input: try lines.json(change), environment: try lines.variables(change))
        } else {
          let line = request.asJSON ? try lines.json(change) : lines.text(change)
          guard StandardOutput.offer(line) else { return false }
        }
      }
      try place.save(batch.position)
      return true
    } catch {
      throw .cache(error.explanation)
    }
  }
}
