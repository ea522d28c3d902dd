import BellhopModel
import BellhopTestSupport
import BellhopText
import FoundationEssentials
import Glibc
import Testing

@testable import BellhopClient
@testable import BellhopCommands
@testable import BellhopInbox

/// Untrusted text in the other outputs: printed lines, JSON, and desktop notifications.
@Suite("Untrusted text in printed output", .timeLimit(.minutes(60)))
struct OutputFuzzTests {
  private static var count: Int {
    getenv("BELLHOP_FUZZ").map { String(cString: $0) } == "whole" ? 100_000 : 1500
  }

  private static func seed(_ name: String) -> UInt64 {
    let given = getenv("BELLHOP_FUZZ_SEED").flatMap { UInt64(String(cString: $0)) }
    let seed = given ?? UInt64.random(in: 0 ... .max)
    print("OutputFuzzTests.\(name) seed \(seed)")
    return seed
  }

  /// The first scalar that a terminal may interpret, or that is invisible.
  private func hidden(in text: String) -> Unicode.Scalar? {
    text.unicodeScalars.first { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
      default: false
      }
    }
  }

  /// An item whose ten texts are all untrusted.
  private func item(_ strings: inout HostileStrings) -> UserNotification {
    var content = Content(
      app: strings.name(), appNotificationID: strings.name(), group: strings.next(),
      tags: [strings.next(), strings.next()],
      visual: VisualContent(
        title: strings.next(), subtitle: strings.next(), body: strings.next(lengthMax: 120)))
    content.extras.actions = [ContentExtras.Action(id: strings.name(), title: strings.name())]
    let time = Timestamp(seconds: 1_800_000_000)
    return UserNotification(
      id: .version7(at: time, random: (1, 2)), shortNumber: 12, created: time, arrival: time,
      content: content, state: ItemState(sequence: .zero, contentSequence: .zero, changed: time))
  }

  @Test("a line of list is one line that fits its cells and contains no control")
  func lines() {
    let seed = Self.seed("lines")
    var strings = HostileStrings(seed: seed)
    for round in 0..<Self.count {
      let line = ItemLine.text(
        item(&strings), appName: strings.name(), at: Timestamp(seconds: 1_800_000_100), width: 100)
      let scalar = line.string.unicodeScalars.first { scalar in
        CellWidth.of(scalar) == nil || scalar.properties.isDefaultIgnorableCodePoint
      }
      if let scalar {
        Issue.record("U+\(String(scalar.value, radix: 16)) in round \(round), seed \(seed)")
        return
      }
      let cells = SafeText(line.string).width
      guard cells <= 100 else {
        Issue.record("\(cells) cells in round \(round), seed \(seed)")
        return
      }
    }
  }

  @Test("JSON hides nothing, and reads back as it was published")
  func json() throws {
    struct Read: Decodable { var app, group, title, body: String, tags: [String] }
    let seed = Self.seed("json")
    var strings = HostileStrings(seed: seed)
    for round in 0..<Self.count {
      let item = item(&strings)
      let line = try JSONLine.encode(
        ItemJSON(
          item, account: AccountName("home"), appName: nil, isWaiting: false,
          at: Timestamp(seconds: 1_800_000_100)))
      if let scalar = hidden(in: line) {
        Issue.record("U+\(String(scalar.value, radix: 16)) in round \(round), seed \(seed)")
        return
      }
      let read = try JSONDecoder().decode(Read.self, from: Data(line.utf8))
      let texts = [read.app, read.group, read.title, read.body] + read.tags
      let visual = item.content.visual
      let meant =
        [item.content.app, item.content.group, visual?.title, visual?.body].map { $0 ?? "" }
        + item.content.tags
      guard texts.map({ Array($0.utf8) }) == meant.map({ Array($0.utf8) }) else {
        Issue.record("round \(round), seed \(seed): \(line.debugDescription)")
        return
      }
    }
  }

  @Test("notify-send gets options, an end of options, and two texts without markup or controls")
  func notifier() {
    let seed = Self.seed("notifier")
    var strings = HostileStrings(seed: seed)
    for round in 0..<(Self.count * 4) {
      let arguments = DesktopPrograms.arguments(
        RingNote(
          title: SafeText(strings.next()), body: SafeText(strings.next()),
          isUrgent: round.isMultiple(of: 2)))
      guard arguments.count == 5, arguments[2] == "--",
        !arguments.contains(where: { $0.unicodeScalars.contains { CellWidth.of($0) == nil } }),
        !arguments[4].unicodeScalars.contains("<"),
        !arguments[4].unicodeScalars.contains(">"),
        !arguments.contains(where: { $0.utf8.contains(0) })
      else {
        Issue.record("round \(round), seed \(seed): \(arguments)")
        return
      }
    }
  }
}
