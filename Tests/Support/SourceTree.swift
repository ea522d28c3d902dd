package import Foundation

/// The project's own files, for tests that read the code as text.
package enum SourceTree {
  /// The folder with `Package.swift`.
  package static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A file of the project with its path below the root.
  package struct File: Sendable {
    package let path: String
    package let text: String

    package init(path: String, text: String) {
      self.path = path
      self.text = text
    }

    package var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  }

  /// All Swift files below a folder of the project, sorted by path.
  package static func swiftFiles(below folder: String) throws -> [File] {
    try files(below: folder, type: "swift")
  }

  /// All files of a type below a folder of the project, sorted by path.
  ///
  /// - Parameter type: The end of the name, such as `md`.
  package static func files(below folder: String, type: String) throws -> [File] {
    let start = root.appending(path: folder)
    guard
      let enumerator = FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil)
    else { return [] }
    let urls = enumerator.compactMap { $0 as? URL }.filter { $0.pathExtension == type }
    return try urls.map { url in
      let path = url.standardizedFileURL.path.dropFirst(root.standardizedFileURL.path.count)
      return File(
        path: String(path.drop { $0 == "/" }), text: try String(contentsOf: url, encoding: .utf8))
    }.sorted { $0.path < $1.path }
  }

  /// The text of one file of the project.
  package static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
