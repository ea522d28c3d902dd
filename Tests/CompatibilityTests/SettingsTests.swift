import BellhopSettings
import Testing

@testable import BellhopClient
@testable import BellhopServer

/// The promises that every setting of both programs keeps.
@Suite("The settings of client and store")
struct SettingsTests {
  private static let client = Configuration.schema
  private static let store = StoreSettings.schema

  /// A value as the parser gives it.
  private func value(_ text: String, of setting: Setting<some Any>) throws -> TOMLValue {
    switch setting.form {
    case .value: try #require(try TOMLSource.settings("x = " + text)["x"])
    case .tables: try #require(try TOMLSource.settings(text)[setting.path])
    }
  }

  @Test("each default is read back as it is written, and each example is accepted")
  func values() throws {
    try check(Self.client, Configuration())
    try check(Self.store, StoreSettings(version: "0"))

    func check<Root>(_ schema: SettingsSchema<Root>, _ standard: Root) throws {
      for setting in schema.settings {
        let texts = [setting.written(standard), setting.example].compactMap(\.self)
        #expect(!texts.isEmpty, "\(setting.path) has neither a default nor an example")
        for text in texts {
          var root = standard
          try setting.read(try value(text, of: setting), &root)
          let written = try #require(setting.written(root), "\(setting.path) = \(text)")
          if text == setting.written(standard) { #expect(written == text, "\(setting.path)") }
          var again = standard
          try setting.read(try value(written, of: setting), &again)
          #expect(setting.written(again) == written, "\(setting.path) = \(text)")
        }
      }
    }
  }

  @Test("a value of a wrong type is an error that names the setting and what is expected")
  func wrongTypes() {
    check(Self.client, Configuration())
    check(Self.store, StoreSettings(version: "0"))

    func check<Root>(_ schema: SettingsSchema<Root>, _ standard: Root) {
      for setting in schema.settings {
        for wrong in ["1979-05-27", "{ x = 1 }", "12.5"] {
          var root = standard
          let text = "\n\(setting.path) = \(wrong)"
          let findings = schema.read(text, SettingLines(text), into: &root)
          if wrong.hasPrefix("{"), setting.form == .tables {
            #expect(findings.contains { $0.grade == .error && $0.line == 2 }, "\(setting.path)")
          } else {
            let expected = ConfigurationFinding(
              .error, line: 2, text: "\(setting.path) must be \(setting.expected).")
            #expect(findings == [expected])
          }
          #expect(schema.file(of: root) == schema.file(of: standard))
        }
      }
      for table in schema.tables {
        var root = standard
        let text = "\(table.name) = 5"
        #expect(
          schema.read(text, SettingLines(text), into: &root).map(\.words) == [
            "line 1: \(table.name) must be a table: write [\(table.name)]."
          ])
      }
    }
  }

  @Test("the documented file changes nothing, and all its lines together are accepted")
  func documentation() {
    check(Self.client, Configuration(), Configuration.defaultFile)
    check(
      Self.store, StoreSettings(version: "0"), StoreSettings.documentation(version: "0"))

    func check<Root>(_ schema: SettingsSchema<Root>, _ standard: Root, _ text: String) {
      var root = standard
      #expect(schema.read(text, SettingLines(text), into: &root) == [])
      #expect(schema.file(of: root) == schema.file(of: standard))
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })

      let filled = ClientCompatibilityTests.uncommented(text)
      #expect(schema.read(filled, SettingLines(filled), into: &root).map(\.words) == [])
      for setting in schema.settings {
        #expect(setting.written(root) != nil, "\(setting.path) is not in the file")
      }
      let shown = schema.file(of: root)
      var again = standard
      #expect(schema.read(shown, SettingLines(shown), into: &again) == [])
      #expect(schema.file(of: again) == shown)
    }
  }

  @Test("each setting has its help, or its table has, and no name is given twice")
  func help() {
    check(Self.client)
    check(Self.store)

    func check(_ schema: SettingsSchema<some Any>) {
      let paths = schema.settings.map(\.path) + schema.tables.map(\.name)
      #expect(Set(paths).count == paths.count)
      for table in schema.tables { #expect(!table.help.isEmpty, "\(table.name)") }
      for setting in schema.settings {
        let table = setting.path.split(separator: ".").dropLast().joined(separator: ".")
        #expect(table.isEmpty || schema.tables.contains { $0.name == table }, "\(setting.path)")
        #expect(!table.isEmpty || !setting.help.isEmpty, "\(setting.path)")
      }
    }
  }

  @Test("the client warns of a setting that it does not know, and the store refuses it")
  func unknown() {
    var configuration = Configuration()
    let text = "nosuch = 1\nmouse = false"
    let warnings = Self.client.read(text, SettingLines(text), into: &configuration)
    #expect(warnings.map(\.grade) == [.warning])
    #expect(
      warnings.map(\.words)
        == ["line 1: nosuch is not a setting; bellhop config default lists them."])
    #expect(!configuration.mouse)
    let findings = StoreSettings.read("nosuch = 1", version: "0").findings
    #expect(findings.map(\.grade) == [.error])
    #expect(
      findings.map(\.words)
        == ["line 1: nosuch is not a setting; bellhopd config default lists them."])
  }
}
