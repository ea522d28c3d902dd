import BellhopCache
import BellhopModel
import Testing

@testable import BellhopSync

/// The page that is requested while the one before it is written.
@Suite("The page ahead")
struct PrefetchedPageTests {
  private static func page(_ name: String) -> ChangeChunk.Request { .page(PageCursor(name)) }

  private static func answer(next: String?) -> PullAnswer {
    PullAnswer(
      changes: [],
      end: .page(
        next: next.map { PageCursor($0) }, start: DeltaToken("start"),
        startSequence: SequenceNumber(9)))
  }

  /// The dropped answers.
  private final class Dropped {
    var answers: [String] = []
  }

  @Test("it is used once, by the next pull")
  func used() {
    let dropped = Dropped()
    var ahead = PrefetchedPage<String> { dropped.answers.append($0) }
    ahead.hold("two", to: Self.page("2"))
    #expect(ahead.take(Self.page("2")) == "two")
    #expect(ahead.take(Self.page("2")) == nil)
    #expect(dropped.answers.isEmpty)
  }

  @Test(
    "a page read before a delta, another page or the end is not used after it",
    arguments: [ChangeChunk.Request.delta(since: DeltaToken("d")), page("3"), .page(nil)])
  func dropped(next: ChangeChunk.Request) {
    let dropped = Dropped()
    var ahead = PrefetchedPage<String> { dropped.answers.append($0) }
    ahead.hold("two", to: Self.page("2"))
    #expect(ahead.take(next) == nil)
    #expect(dropped.answers == ["two"])
    #expect(ahead.take(Self.page("2")) == nil)
    ahead.hold("four", to: Self.page("4"))
    ahead.dropHeld()
    #expect(dropped.answers == ["two", "four"])
    #expect(ahead.take(Self.page("4")) == nil)
  }

  @Test("it is requested when another page comes next, not when a delta or nothing does")
  func asked() {
    let bench = EngineCoreTests.Bench(.polling)
    func asks(next: String? = "2") -> ChangeChunk.Request? {
      PrefetchedPage<Void>.request(after: Self.answer(next: next), to: .page(nil), bench.core)
    }
    _ = bench.at(0, .started(LocalSummary(), .paging))
    _ = bench.at(0, .registered)
    let page = EngineCoreTests.Bench.pulled(500, isComplete: false, stage: .paging)
    #expect(asks() == nil, "the first page is followed by a delta")
    #expect(bench.at(1, .pulled(page)) == [.pullChanges])
    #expect(asks() == nil, "a delta is under way")
    let changes = EngineCoreTests.Bench.pulled(stage: .paging)
    for round in 0..<3 {
      #expect(bench.at(1, .pulled(changes)) == [.pullFirstSync])
      for number in 1..<bench.core.policy.pagesPerDelta {
        #expect(asks() == Self.page("2"), "round \(round), page \(number)")
        #expect(asks(next: nil) == nil, "the last page")
        #expect(bench.at(1, .pulled(page)) == [.pullFirstSync])
      }
      #expect(asks() == nil, "the delta of this many pages")
      #expect(bench.at(1, .pulled(page)) == [.pullChanges])
    }
    _ = bench.at(1, .pulled(changes))
    _ = bench.at(1, .flushRequested)
    #expect(asks() == nil, "the engine ends")
  }

  @Test("a signal that comes while a page is written puts the delta first")
  func signal() {
    let bench = EngineCoreTests.Bench()
    _ = bench.at(0, .started(LocalSummary(), .paging))
    _ = bench.at(0, .registered)
    let page = EngineCoreTests.Bench.pulled(500, isComplete: false, stage: .paging)
    _ = bench.at(0, .pulled(page))
    _ = bench.at(0, .pulled(EngineCoreTests.Bench.pulled(stage: .paging)))
    func asks() -> ChangeChunk.Request? {
      PrefetchedPage<Void>.request(after: Self.answer(next: "3"), to: Self.page("2"), bench.core)
    }
    #expect(asks() == Self.page("3"))
    _ = bench.at(0, .signal(.changed(Epoch("e"), SequenceNumber(7))))
    #expect(asks() == nil)
    #expect(bench.at(1, .pulled(page)) == [.pullChanges])
  }
}
