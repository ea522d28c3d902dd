import BellhopClient
import BellhopInbox
import BellhopModel
import BellhopServer
import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopCommandLine
@testable import BellhopStoreCommandLine

/// A part of the manual or the README that is generated from the program.
struct GeneratedSection: Sendable, CustomTestStringConvertible {
  let name: String
  let path: String
  /// Returns the text between the markers.
  let text: @Sendable () throws -> String

  var testDescription: String { name }

  static let all = [
    GeneratedSection(name: "keys", path: "Sources/BellhopManual/User/keys.md") {
      KeyTable.markdown()
    },
    GeneratedSection(name: "ten-keys", path: "README.md") {
      KeyTable.markdown(of: KeyTable.important)
    },
    GeneratedSection(name: "commands", path: "Sources/BellhopManual/User/commands.md") {
      try CommandReference(Bellhop.self).markdown
    },
    GeneratedSection(name: "store-commands", path: "Sources/BellhopManual/Store/store-commands.md")
    {
      try CommandReference(Bellhopd.self).markdown
    },
    GeneratedSection(name: "configuration", path: "Sources/BellhopManual/User/configuration.md") {
      toml(Configuration.defaultFile)
    },
    GeneratedSection(
      name: "store-configuration", path: "Sources/BellhopManual/Store/store-configuration.md"
    ) { toml(StoreSettings.documentation(version: ProgramVersion.number)) },
  ]

  private static func toml(_ file: String) -> String { "```toml\n\(file)```\n" }

  private var start: String { "<!-- generated: \(name) -->\n" }
  private var end: String { "<!-- end: \(name) -->" }

  /// Returns the file with the range of the section; nil if the file lacks the markers.
  func find() throws -> (file: String, section: Range<String.Index>)? {
    let file = try SourceTree.text(path)
    guard let from = file.range(of: start)?.upperBound,
      let to = file.range(of: end, range: from..<file.endIndex)?.lowerBound
    else { return nil }
    return (file, from..<to)
  }

  /// Writes the generated text into the file.
  func record() throws {
    guard let (file, section) = try find() else { return }
    let text = try file.replacingCharacters(in: section, with: text())
    try text.write(to: SourceTree.root.appending(path: path), atomically: true, encoding: .utf8)
  }
}
