internal import BellhopCache
package import BellhopClient
internal import BellhopKit
internal import BellhopModel
internal import BellhopSync
internal import FoundationEssentials

/// What `bellhop watch` is asked to do.
package struct WatchRequest: Sendable {
  /// Under which name its position is kept: letters, digits, dots, dashes and underscores.
  package var name: String
  /// Only of these apps; empty for all.
  package var apps: [String] = []
  /// As a person types it; nil for none.
  package var filter: String?
  package var isTrayOnly = false
  package var isUnreadOnly = false
  /// Whether to begin with everything that is kept.
  package var beginsAnew = false
  /// What to run for each change, through `sh`; nil prints lines.
  package var command: String?
  package var asJSON = false

  package init(name: String) { self.name = name }

  /// What the reader is to tell. Of a deleted item nothing is known that could be in the tray, or
  /// pass a filter.
  var options: ReaderOptions {
    ReaderOptions(
      start: beginsAnew ? .beginning : .end, readStates: isUnreadOnly ? [.unread] : nil,
      placements: isTrayOnly ? [.tray] : nil,
      statuses: isTrayOnly || isUnreadOnly || filter != nil ? [.active] : [.active, .deleted],
      apps: apps.isEmpty ? nil : Set(apps))
  }
}

extension Commands {
  /// How long the end waits for what is being sent.
  private static let stopLimit: Duration = .seconds(3)

  /// `bellhop watch`: a line, or a command, for each change, until it is ended.
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
  /// Says why nothing comes any more. A store that does not answer is no reason: what it has comes
  /// when it does.
  fileprivate static func tell(_ events: AsyncStream<FeedEvent>) async {
    var isSignedOut = false
    for await case .status(let status) in events {
      let wasSignedOut = isSignedOut
      isSignedOut = if case .signInAgain = status { true } else { false }
      guard isSignedOut, !wasSignedOut else { continue }
      StandardError.say(
        "The store does not accept this device any more: sign in again with bellhop login. "
          + "Watching goes on then.")
    }
  }
}

/// Where a watch stopped, in a file of the account's folder.
///
/// The lock is held as long as the object lives: two watches of one name would tell half each.
struct WatchPlace: Sendable {
  private let path: String
  private let lock: EngineLock

  /// - Throws: ``ClientError`` with exit code 75 when a watch of that name runs.
  init(_ access: CacheAccess, name: String) throws {
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
      case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false  // open: UInt8
      }
    }
    guard isPlain, (1...64).contains(name.utf8.count), !name.hasPrefix(".") else {
      throw ClientError(
        .usage, "A watch's name has up to 64 letters, digits, dots, dashes and underscores.")
    }
    let folder = access.context.directories.account(access.account.name) + "/watch"
    try Directories.make(folder)
    path = folder + "/\(name).json"
    lock = EngineLock(path: folder + "/\(name).lock")
    guard try lock.tryLock() else {
      throw ClientError(
        .tryLater, "A watch named \(name) runs already.",
        next: "Give this one another name with --name.")
    }
  }

  /// Nil when there is none, or what is there is none.
  func load() throws -> ReaderPosition? {
    guard let text = try PrivateFile.read(path, isSecret: false) else { return nil }
    guard let position = try? JSONDecoder().decode(ReaderPosition.self, from: Data(text.utf8))
    else {
      StandardError.say("\(path) is damaged: watching begins with what changes from now on.")
      return nil
    }
    return position
  }

  func save(_ position: ReaderPosition) throws {
    let data: Data
    do {
      data = try JSONEncoder().encode(position)
    } catch {
      throw ClientError(.software, "The position of this watch cannot be written.")
    }
    try PrivateFile.write(String(decoding: data, as: UTF8.self) + "\n", to: path)
  }
}

/// Tells the changes of a reader, batch by batch.
private struct Watcher: Sendable {
  let access: CacheAccess
  let request: WatchRequest
  let filter: ListFilter?
  let place: WatchPlace

  /// Lines between two notes of the position. A command may take long and do what must not be done
  /// twice, so each has its own.
  private var batchMax: Int { request.command == nil ? 64 : 1 }

  /// The reader that goes on where the last watch stopped.
  func reader(of channel: UserNotificationChannel) throws -> UserNotificationReader {
    try channel.makeReader(
      request.options, at: request.beginsAnew ? nil : try place.load())
  }

  /// Returns when the task is cancelled, or the reader has gone.
  func follow(_ reader: UserNotificationReader) async throws {
    try place.save(await reader.position)
    while true {
      do throws(FeedError) {
        guard let batch = try await reader.nextBatch(max: batchMax) else { return }
        guard try await isTold(batch) else { return }
      } catch {
        switch error {
        case .positionTooOld, .positionElsewhere:
          StandardError.say(
            "What changed since the last time is not known any more; watching goes on from now. "
              + "With --from-start it begins with everything that is kept.")
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

  /// Whether the batch was told to its end; only then its position is kept.
  private func isTold(_ batch: NotificationBatch) async throws(FeedError) -> Bool {
    do {
      let lines = try WatchLines(access)
      for change in batch.changes {
        if Task.isCancelled { return false }
        guard passes(change) else { continue }
        if let command = request.command {
          await TypedCommand.run(
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
