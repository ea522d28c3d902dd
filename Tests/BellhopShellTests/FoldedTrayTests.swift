import BellhopCache
import BellhopClient
import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopInbox
@testable import BellhopShell

/// The tray with its groups, read window by window from the caches of one account or several.
@Suite("Windows of a folded tray")
struct FoldedTrayTests {
  static let start = Timestamp(milliseconds: 1_800_000_000_000)

  /// A cache of items, many in groups, some arriving together with another account's.
  static func reader(_ name: String, _ count: Int, seed: UInt64) throws -> ListReader {
    let cache = MemoryCache(
      identity: CacheIdentity(
        account: AccountName(name), newLineage: { Lineage("lineage-1") }))
    var random = SeededRandom(seed: seed)
    let changes = (0..<count).map { index -> Change in
      let time = start.advanced(by: .milliseconds(Int64(random.next() % 90_000) * 7 + Int64(seed)))
      let sequence = SequenceNumber(Int64(index) + 1)
      var state = ItemState(sequence: sequence, contentSequence: sequence, changed: time)
      if index % 5 == 0 { state.userActionState = Register(.dismissed) }
      if index % 3 == 0 { state.readState = Register(.read) }
      return .item(
        UserNotification(
          id: NotificationID(high: seed, low: UInt64(index)), shortNumber: Int64(index) + 1,
          created: time, arrival: time,
          content: Content(
            app: "app\(random.next() % 3)",
            group: [nil, "", "a", "b", "c\(index)"].randomElement(using: &random) ?? nil,
            priority: Priority.allCases.randomElement(using: &random) ?? .normal,
            visual: VisualContent(title: "\(name) \(index)")),
          state: state))
    }
    let generation = try cache.syncState().generation
    for chunk in ChangeChunk.chunks(
      of: changes, request: .page(nil), generation: generation,
      end: .page(next: nil, start: DeltaToken("t"), startSequence: SequenceNumber(Int64(count))))
    {
      _ = try cache.apply(chunk, now: start.advanced(by: .seconds(3600)))
    }
    return ListReader(cache: cache)
  }

  private func merged(_ accounts: Int) throws -> MergedReader {
    MergedReader(
      readers: try (1...accounts).map {
        try Self.reader("account\($0)", 120 / $0, seed: UInt64($0))
      })
  }

  /// All groups, some of them open.
  private func folding(_ rows: [RowSummary], seed: UInt64, isFolded: Bool) -> Folding {
    var random = SeededRandom(seed: seed)
    var folding = Folding(isFolded: isFolded)
    for group in rows.compactMap(\.groupKey) where Bool.random(using: &random) {
      if isFolded { folding.open(group) } else { folding.close(group) }
    }
    return folding
  }

  private func request(
    _ anchor: WindowRequest.Anchor, _ direction: WindowRequest.Direction, _ count: Int,
    _ folding: Folding?
  ) -> WindowRequest {
    WindowRequest(anchor: anchor, direction: direction, count: count, serial: 1, folding: folding)
  }

  @Test(
    "every window is the requested part of the whole",
    arguments: [1, 3], [true, false])
  func windows(accounts: Int, isFolded: Bool) throws {
    let merged = try merged(accounts)
    let flat = try merged.window(.tray, request(.first, .down, 1000, nil)).rows
    for seed in 1...3 as ClosedRange<UInt64> {
      let folding = folding(flat, seed: seed, isFolded: isFolded)
      let whole = ItemShelf.folded(flat, folding)
      let first = try merged.window(.tray, request(.first, .down, 1000, folding))
      #expect(first.rows == whole)
      #expect(first.reachesStart && first.reachesEnd && first.countAbove == 0)
      for (upper, lower) in zip(whole, whole.dropFirst()) {
        #expect(upper.position.isAbove(lower.position, in: .tray, by: .newest))
        #expect(!lower.position.isAbove(upper.position, in: .tray, by: .newest))
      }
      for count in [1, 4, 9] {
        let top = try merged.window(.tray, request(.first, .down, count, folding))
        #expect(top.rows == Array(whole.prefix(count)) && !top.reachesEnd)
        let end = try merged.window(.tray, request(.last, .up, count, folding))
        #expect(end.rows == Array(whole.suffix(count)) && !end.reachesStart)
      }
      for (index, row) in whole.enumerated() {
        let here = WindowRequest.Anchor.row(row.position)
        let window = try merged.window(.tray, request(here, .around, 8, folding))
        #expect(
          window.rows == Array(whole[max(0, index - 4)..<min(whole.count, index + 4)]),
          "seed \(seed), row \(index)")
        #expect(window.reachesStart == (index <= 4))
        #expect(window.reachesEnd == (index + 4 >= whole.count))
        let above = ItemShelf.items(in: whole[..<max(0, index - 4)])
        #expect(window.countAbove == above, "seed \(seed), row \(index)")
        #expect(window.anchorRow?.key == row.position.key)
      }
    }
  }

  @Test("a window is found again after its anchor's group has folded, opened or moved")
  func staleAnchors() throws {
    let merged = try merged(1)
    let flat = try merged.window(.tray, request(.first, .down, 1000, nil)).rows
    let open = Folding(isFolded: false)
    let closed = Folding(isFolded: true)
    for row in ItemShelf.folded(flat, open) {
      let window = try merged.window(.tray, request(.row(row.position), .around, 6, closed))
      let id = row.groupKey.map { group in
        flat.count { $0.groupKey == group } > 1 ? RowID.group(group) : .item(row.key)
      }
      #expect(window.rows.contains { $0.rowID == id ?? .item(row.key) })
    }
    for row in flat {
      var position = row.position
      // As of a group that had a newer item.
      if let group = row.groupKey {
        position.place = .member(of: group, newest: row.key, order: row.order + 1 << 40)
      }
      let window = try merged.window(.tray, request(.row(position), .around, 6, open))
      #expect(window.rows.contains { $0.rowID == .item(row.key) })
    }
  }
}
