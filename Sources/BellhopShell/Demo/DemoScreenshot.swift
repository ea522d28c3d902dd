internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
package import BellhopScreen
internal import BellhopText
internal import FoundationEssentials

/// A picture of the demo's screen, drawn without a store and a terminal.
///
/// Its items and its clock are fixed, so that the picture only changes with the screen.
package enum DemoScreenshot {
  private static let size = Size(width: 100, height: 30)
  /// Tuesday 2026-11-24, 14:20 in ``zone``.
  private static let now = Timestamp(seconds: 1_795_526_400)
  private static let zone = ZoneRules.fixed(offsetSeconds: 3600, abbreviation: "CET")
  private static let account = AccountName("demo")
  private static let defaultTheme = "bellhop-dark"

  /// Runs `bellhop demo --screenshot`, which writes the picture into a file.
  ///
  /// - Parameter theme: A theme's name or the path of a file; nil for the dark theme.
  /// - Throws: `ClientError`.
  package static func write(to path: String, theme: String?) throws {
    let context = try ClientContext.live(saysWarnings: false)
    let (styles, problem) = ThemeChoice.styles(
      named: theme ?? defaultTheme, on: nil, context: context)
    if let problem {
      throw ClientError(.usage, problem, next: "No picture was written.")
    }
    let text = try frame().svg(styles: styles)
    do {
      try Data(text.utf8).write(to: URL(filePath: path))
    } catch {
      throw ClientError(.cannotCreate, "Cannot write \(path.prefix(256)): \(error.explanation)")
    }
  }

  /// Returns the demo's screen at the fixed time.
  ///
  /// - Throws: `CacheError`.
  package static func frame() throws -> Frame {
    let reader = MergedReader(readers: [ListReader(cache: try cache(), now: { now })])
    var state = InboxState(
      size: size, now: now, zone: zone, accountLabel: "private store",
      ids: UniqueIDSource { 0 })
    var messages: [Message] = [.start, .account(.connection(ConnectionStatus(.live)))]
    while !messages.isEmpty {
      for effect in reduce(&state, messages.removeFirst()) {
        guard case .read(let read) = effect else { continue }
        messages.append(.answer(try reader.answer(read, since: zone.midnight(before: now))))
      }
    }
    return render(state)
  }

  // MARK: - Items

  /// The age of each kind of notification in minutes, in the order of ``DemoStream/oneOfEach()``.
  private static let ages: [Int64] = [2, 31, 9, 400, 64, 22, 47, 180, 95, 15]

  private static func cache() throws -> MemoryCache {
    let cache = MemoryCache(
      identity: CacheIdentity(account: account, newLineage: { Lineage("screenshot") }))
    let items = zip(DemoStream.oneOfEach(), ages).sorted { $0.1 > $1.1 }
    let changes = zip(Int64(1)..., items).map { number, item in
      Change.item(Self.item(item.0, number: number, arrival: before(item.1)))
    }
    let chunk = ChangeChunk(
      request: .page(nil), generation: try cache.syncState().generation, changes: changes,
      end: .page(
        next: nil, start: DeltaToken("screenshot"),
        startSequence: SequenceNumber(Int64(changes.count))))
    _ = try cache.apply(chunk, now: now)
    return cache
  }

  /// Returns an item in the state in which the demo's second device leaves its app's items.
  private static func item(
    _ content: Content, number: Int64, arrival: Timestamp
  ) -> UserNotification {
    let sequence = SequenceNumber(number)
    var state = ItemState(sequence: sequence, contentSequence: sequence, changed: arrival)
    switch content.app {
    case "apt", "backups": state.userActionState = Register(.dismissed)
    case "calendar": state.readState = Register(.read)
    case "mail": state.userActionState = Register(.snoozed(until: before(-160)))
    default: break  // open: String
    }
    return UserNotification(
      id: .version7(at: arrival, random: (UInt64(number), 0)), shortNumber: number,
      created: arrival, arrival: arrival, content: content, state: state)
  }

  private static func before(_ minutes: Int64) -> Timestamp {
    now.advanced(by: .seconds(-60 * minutes))
  }
}
