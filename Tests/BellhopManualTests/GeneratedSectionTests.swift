import BellhopInbox
import Foundation
import Testing

/// The generated sections of the manual and the README, compared with the program.
@Suite("Generated sections of the manual")
struct GeneratedSectionTests {
  @Test(
    "each section is what the program generates; BELLHOP_RECORD_MANUAL=1 writes it again",
    arguments: GeneratedSection.all)
  func sections(_ section: GeneratedSection) throws {
    if ProcessInfo.processInfo.environment["BELLHOP_RECORD_MANUAL"] == "1" { try section.record() }
    let (file, range) = try #require(
      try section.find(), "\(section.path) has no section \(section.name)")
    let text = try section.text()
    #expect(!text.isEmpty)
    let isCurrent = file[range] == text
    #expect(isCurrent, "\(section.path) is out of date; set BELLHOP_RECORD_MANUAL=1")
  }

  @Test("the README's table has the ten most important keys")
  func importantKeys() {
    #expect(KeyTable.important.count == 10)
    let rows = KeyTable.markdown(of: KeyTable.important).split(separator: "\n").dropFirst(2)
    #expect(rows.count == 10)
    for row in rows { #expect(KeyTable.markdown().contains(row + "\n")) }
  }
}
