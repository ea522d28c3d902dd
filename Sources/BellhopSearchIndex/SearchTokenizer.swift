import BellhopSearch
package import GRDB

/// The FTS5 tokenizer that wraps `TokenScanner`, named `bellhop` in `CREATE VIRTUAL TABLE`.
///
/// Add it to every connection that uses the index: `db.add(tokenizer: SearchTokenizer.self)`.
package final class SearchTokenizer: FTS5CustomTokenizer {
  package static let name = "bellhop"

  private var scanner = TokenScanner()

  package init(db: Database, arguments: [String]) throws {}

  package func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
    pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    guard let pText, nText > 0 else { return Self.ok }
    var result = Self.ok
    let text = UnsafeRawBufferPointer(start: pText, count: Int(nText))
      .assumingMemoryBound(to: UInt8.self)
    _ = scanner.scan(text) { token, range, _ in
      result = token.withUnsafeBytes { bytes in
        tokenCallback(
          context, 0, bytes.assumingMemoryBound(to: CChar.self).baseAddress, CInt(bytes.count),
          CInt(range.lowerBound), CInt(range.upperBound))
      }
      return result == Self.ok
    }
    return result
  }

  /// The SQLite result code `SQLITE_OK`.
  private static let ok: CInt = 0
}
