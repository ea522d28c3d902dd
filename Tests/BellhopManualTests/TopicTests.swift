import BellhopText
import Testing

@testable import BellhopManual

/// The topics of both manuals.
@Suite("Topics of the manual")
struct TopicTests {
  static let topics = Manual.user + Manual.store

  @Test("every topic fits into its width, and is readable", arguments: [40, 80, 120])
  func width(_ width: Int) {
    for topic in Self.topics {
      let lines = topic.document.lines(width: width)
      #expect(lines.count > 2, "\(topic.name) is empty")
      for line in lines {
        #expect(line.width <= width, "\(topic.name): \(TextStyle.plain.printed(line))")
      }
      for line in topic.document.lines(width: width, indentation: 4) {
        #expect(line.width <= width, "\(topic.name): \(TextStyle.plain.printed(line))")
      }
      #expect(!topic.document.printed(width: width, .plain).contains("\u{1b}"), "\(topic.name)")
    }
  }

  @Test("every topic begins with a title and a summary of one line")
  func heads() {
    for topic in Self.topics {
      let lines = topic.markdown.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.first?.hasPrefix("# ") == true, "\(topic.name) has no title")
      #expect(lines.count > 3 && lines[1].isEmpty && lines[3].isEmpty, "\(topic.name)")
      #expect(!topic.title.isEmpty)
      #expect((1...Topic.summaryMax).contains(topic.summary.count), "\(topic.summary)")
      #expect(!topic.summary.contains { "`*[]#".contains($0) }, "\(topic.summary)")
    }
  }

  @Test("the names of topics are unique, in lower case with hyphens")
  func names() {
    #expect(Set(Self.topics.map(\.name)).count == Self.topics.count)
    for topic in Self.topics {
      #expect(topic.name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, "\(topic.name)")
    }
  }

  @Test("every link leads to a topic of the same manual, or to a web page")
  func links() {
    for manual in [Manual.user, Manual.store] {
      let names = Set(manual.map(\.name))
      for topic in manual {
        for link in topic.document.links where !link.hasPrefix("https://") {
          let name = Topic.name(linkedBy: link)
          #expect(name.map(names.contains) == true, "\(topic.name) links to \(link)")
        }
      }
    }
  }

  @Test("a link to a topic names the command that shows it, and a web link its address")
  func linkNotes() {
    let topic = Topic(
      name: "one",
      markdown: "See [Filters](filters.md#times), [a page](https://a.example) and `bellhop`.",
      program: "bellhop")
    let printed =
      "    See Filters (bellhop help filters), a page <https://a.example> and bellhop.\n"
    #expect(topic.document.printed(width: 100, .plain) == printed)
    #expect(topic.document.links == ["filters.md#times", "https://a.example"])
  }
}
