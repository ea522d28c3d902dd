import Foundation

/// A folder that exists for one test.
package struct TemporaryFolder: Sendable {
  /// Short, because sockets are created in it.
  package let path: String

  package init() throws {
    var template = Array("/tmp/bh-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes the folder and everything in it.
  package func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Runs `body` with a folder that is removed afterwards.
  package static func with<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try body(folder.path)
  }
}
