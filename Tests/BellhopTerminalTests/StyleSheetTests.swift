import BellhopScreen
import Testing

@Suite("Colours on terminals of every depth")
struct StyleSheetTests {
  @Test("every role has a unique letter")
  func letters() {
    #expect(Set(StyleRole.allCases.map(\.letter)).count == StyleRole.allCases.count)
  }

  @Test("colours are replaced by the nearest available ones")
  func nearest() {
    #expect(Color.rgb(0xFF0000).in256 == .palette(196))
    #expect(Color.rgb(0x5FAFFF).in256 == .palette(75))
    #expect(Color.rgb(0x8A8A8A).in256 == .palette(245))
    #expect(Color.rgb(0x010101).in256 == .palette(16))
    #expect(Color.rgb(0xF01010).in16 == .palette(9))
    #expect(Color.palette(196).in16 == .palette(9))
    #expect(Color.palette(3).in256 == .palette(3))
    #expect(Color.default.in16 == .default)
  }

  @Test("the selection's background replaces a role's own background")
  func selection() {
    let sheet = StyleSheet([
      .selection: Style(background: .rgb(0x303A4A), background16: .palette(8)),
      .error: Style(foreground: .rgb(0xFF8787), isBold: true),
      .badge: Style(background: .palette(4)),
    ])
    let error = sheet.resolved(.error, selected: true, depth: .direct)
    #expect(error.foreground == .rgb(0xFF8787))
    #expect(error.background == .rgb(0x303A4A))
    #expect(error.isBold)
    #expect(sheet.resolved(.error, selected: true, depth: .ansi16).background == .palette(8))
    // With 8 colours a bright background is the same as the foreground's, so it is reversed
    // instead.
    let poor = sheet.resolved(.error, selected: true, depth: .ansi8)
    #expect(poor.background == nil)
    #expect(poor.isReversed)
    #expect(sheet.resolved(.badge, selected: false, depth: .ansi8).background == .palette(4))
  }

  @Test("roles without colours use those of plain text")
  func ground() {
    let sheet = StyleSheet([.text: Style(foreground: .palette(250), background: .palette(17))])
    let style = sheet.resolved(.dim, selected: false, depth: .indexed256)
    #expect(style.foreground == .palette(250))
    #expect(style.background == .palette(17))
  }

  @Test("without colours every theme is bold, reverse and underline")
  func monochrome() {
    let sheet = StyleSheet([.error: Style(foreground: .palette(1), isItalic: true)])
    for role in StyleRole.allCases {
      for selected in [false, true] {
        let style = sheet.resolved(role, selected: selected, depth: .monochrome)
        #expect(style.foreground == nil && style.background == nil && !style.isItalic)
      }
    }
    let plain = sheet.resolved(.text, selected: false, depth: .monochrome)
    #expect(sheet.resolved(.unread, selected: false, depth: .monochrome) != plain)
    #expect(sheet.resolved(.error, selected: false, depth: .monochrome) != plain)
    #expect(sheet.resolved(.text, selected: true, depth: .monochrome).isReversed)
  }
}
