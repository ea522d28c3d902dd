import Testing

@testable import BellhopStore
@testable import BellhopStoreCommandLine

@Suite("The progress of a move")
struct MoveProgressTests {
  private func lines(_ steps: [CopyStep]) -> [String] {
    var progress = MoveProgress()
    return steps.flatMap { progress.lines(after: $0) }
  }

  @Test("each kind of data has a line with its number and its noun")
  func kinds() {
    let lines = lines([
      CopyStep(phase: .rows(.user), count: 1), CopyStep(phase: .rows(.item), count: 500),
      CopyStep(phase: .rows(.item), count: 12_000), CopyStep(phase: .rows(.outbox), count: 2),
      CopyStep(phase: .attachments, count: 0), CopyStep(phase: .attachments, count: 30),
      CopyStep(phase: .verification, count: 12_003),
    ])
    #expect(
      lines == [
        "Copied 1 user.", "Copied 12,000 items.", "Copied 2 outboxes.", "Copied 30 attachments.",
        "Comparing counts and checksums.",
      ])
  }

  @Test("many rows of a kind have more lines")
  func many() {
    let lines = lines(
      [99_900, 100_400, 199_999, 200_000, 250_000].map {
        CopyStep(phase: .rows(.operation), count: $0)
      } + [CopyStep(phase: .verification, count: 250_000)])
    #expect(
      lines == [
        "Copied 100,400 operations so far.", "Copied 200,000 operations so far.",
        "Copied 250,000 operations.", "Comparing counts and checksums.",
      ])
  }

  @Test("each table has a noun of its own, which is not the name of the table in the database")
  func nouns() {
    let nouns = CopiedTable.allCases.map(\.noun)
    #expect(Set(nouns.map(\.one)).count == nouns.count)
    #expect(Set(nouns.map(\.several)).count == nouns.count)
    for noun in nouns { #expect(!noun.one.contains("_") && noun.one != noun.several) }
  }
}
