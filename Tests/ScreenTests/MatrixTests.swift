import BellhopInbox
import BellhopScreen
import BellhopTestSupport
import BellhopText
import BellhopThemes
import CNcurses
import Testing

@testable import BellhopTerminal

/// Every pane in every condition: its snapshots, and properties that hold in all sizes.
@Suite("Every pane")
struct MatrixTests {
  @Test("each pane equals its snapshots", arguments: PaneScene.all)
  func pictures(_ scene: PaneScene) {
    for condition in scene.pictured {
      for size in scene.sizes(condition) {
        let frame = scene.desk(condition, size).frame
        let name = scene.pictureName(condition, size)
        switch condition {
        case .ascii: assertScreen(frame, name, glyphs: frame.inASCII, roles: nil)
        case .mono: assertScreen(frame, name, glyphs: frame.glyphs, roles: frame.inMonochrome)
        default: assertScreen(frame, name)
        }
      }
    }
  }

  /// The sizes of the snapshots, those at which panes appear or disappear, and some extreme ones.
  private static let sizes =
    PaneScene.sizes
    + [
      Size(width: 1, height: 1), Size(width: 2, height: 3), Size(width: 10, height: 5),
      Size(width: 19, height: 7), Size(width: 20, height: 8), Size(width: 40, height: 10),
      Size(width: 59, height: 17), Size(width: 60, height: 18), Size(width: 99, height: 30),
      Size(width: 100, height: 9), Size(width: 100, height: 30), Size(width: 300, height: 6),
    ]

  @Test("each pane stays in its cells, in every size and condition", arguments: PaneScene.all)
  func cells(_ scene: PaneScene) {
    var widths: [String: Int] = [:]
    for condition in scene.tried {
      var desk = scene.desk(condition, Size(width: 80, height: 24))
      for size in Self.sizes {
        let place = "\(scene.name), \(condition), \(size.width)×\(size.height)"
        desk.send(.resize(size))
        let frame = desk.frame
        #expect(frame.size == size, "\(place)")
        if let cursor = frame.cursor {
          #expect(Rect(size).contains(cursor), "\(place): the cursor is outside")
        }
        for y in 0..<size.height {
          expectWhole(Array(frame.row(y)), width: size.width, &widths, "\(place), line \(y)")
        }
        expectRulesApart(frame, place)
      }
    }
  }

  /// Checks that a row consists of whole clusters that fill exactly their columns.
  ///
  /// - Parameter widths: The widths of known clusters; 0 for an invalid one.
  private func expectWhole(
    _ row: [Cell], width: Int, _ widths: inout [String: Int], _ place: String
  ) {
    var index = 0
    while index < row.count {
      let text = row[index].text
      let cells = widths[text] ?? Self.width(ofCluster: text)
      widths[text] = cells
      guard cells > 0, row[index...].dropFirst().prefix(cells - 1).allSatisfy(\.isContinuation)
      else {
        Issue.record(
          "\(place), column \(index): \(text.debugDescription) is no cluster of its cells")
        return
      }
      index += cells
    }
    if row.count != width || index != width { Issue.record("\(place): half a cluster at the edge") }
  }

  private static func width(ofCluster text: String) -> Int {
    let safe = SafeText(text)
    return safe.string == text && safe.clusters.count == 1 ? safe.width : 0
  }

  /// Checks that no two dividers are on adjacent lines.
  private func expectRulesApart(_ frame: Frame, _ place: String) {
    guard frame.size.width >= 10 else { return }
    let isRule = (0..<frame.size.height).map { y in
      frame.row(y).allSatisfy { $0.role == .rule || $0.role == .ruleFocus }
    }
    for (y, pair) in zip(isRule, isRule.dropFirst()).enumerated() where pair == (true, true) {
      Issue.record("\(place): two rules from line \(y)\n\(frame.glyphs)")
    }
  }

  @Test("no pane uses a role that a theme leaves undefined")
  func roles() {
    var drawn: Set<StyleRole> = []
    for scene in PaneScene.all {
      for condition in scene.pictured {
        let frame = scene.desk(condition, Size(width: 120, height: 40)).frame
        for y in 0..<frame.size.height { drawn.formUnion(frame.row(y).map(\.role)) }
      }
    }
    // The role that only covers others, and a level that no scene has.
    let never: Set<StyleRole> = [.selection, .priorityMin]
    #expect(drawn.union(never).isSuperset(of: Set(StyleRole.allCases).subtracting([.code, .new])))
    for theme in Theme.builtIn where theme.name != "mono" {
      for role in drawn where role != .text && role != .priorityNormal {
        #expect(theme.styles[role] != Style(), "\(theme.name) says nothing of \(role)")
      }
    }
  }

  @Test(
    "each pane is in ASCII where the terminal is not UTF-8, and reversed where it is selected",
    arguments: PaneScene.all)
  func poorTerminals(_ scene: PaneScene) {
    for condition in scene.pictured where !condition.isOfTerminal {
      let frame = scene.desk(condition, Size(width: 80, height: 24)).frame
      let text = frame.inASCII
      #expect(
        text.unicodeScalars.allSatisfy { $0.isASCII }, "\(scene.name), \(condition):\n\(text)")
      for y in 0..<frame.size.height {
        for cell in frame.row(y) where cell.isSelected && cell.role != .badge {
          let style = Theme.dark.styles.resolved(cell.role, selected: true, depth: .monochrome)
          let isUrgent = cell.role == .priorityUrgent
          #expect(style.isReversed != isUrgent, "\(scene.name), \(condition), line \(y)")
        }
      }
    }
  }
}

extension Frame {
  /// The first plane as a terminal without UTF-8 shows it.
  fileprivate var inASCII: String {
    let transliteration = Transliteration(isUTF8: false) { $0.isASCII }
    return (0..<size.height).map { y in
      var line = ""
      for cluster in transliteration.clusters(row(y), style: { _ in 0 }) {
        let scalar = Unicode.Scalar(UInt32(bitPattern: cluster.scalars.0)) ?? " "
        line += String(repeating: Character(scalar), count: Int(cluster.width))
      }
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }

  /// The second plane without colours.
  ///
  /// `B` is bold, `U` underlined, `R` reversed; `b` and `u` are the same in reversed text.
  fileprivate var inMonochrome: String {
    (0..<size.height).map { y in
      var line = ""
      for cell in row(y) {
        let style = Theme.dark.styles.resolved(
          cell.role, selected: cell.isSelected, depth: .monochrome)
        let isReversed = style.isReversed
        line +=
          style.isBold
          ? isReversed ? "b" : "B"
          : style.isUnderlined ? isReversed ? "u" : "U" : isReversed ? "R" : " "
      }
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}
