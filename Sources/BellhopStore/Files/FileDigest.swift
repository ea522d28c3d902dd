internal import BellhopModel
internal import Crypto

/// The hash of a file whose bytes arrive in pieces.
package struct FileDigest: Sendable {
  private var hasher = SHA256()

  package init() {}

  package mutating func update(_ bytes: [UInt8]) { hasher.update(data: bytes) }

  /// The hash of all bytes so far.
  package var hash: FileHash {
    let digits = Array("0123456789abcdef".utf8)
    let text = hasher.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return FileHash(String(decoding: text, as: UTF8.self))
  }
}
