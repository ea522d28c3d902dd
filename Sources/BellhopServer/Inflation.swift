internal import CZlib

/// Decompression of request bodies, within a limit that also stops a decompression bomb.
///
/// The handlers of NIOHTTPCompression (swift-nio-extras 1.35.2) do not replace it. They decompress
/// at the connection, before a token is checked and with one limit for all addresses. They refuse
/// raw deflate and gzip of several members, and accept gzip that is labelled deflate.
enum Inflation {
  /// The accepted codings of `Content-Encoding` (RFC 9110 §8.4.1).
  enum Coding {
    /// RFC 1952.
    case gzip
    /// RFC 1950, or raw deflate (RFC 1951), which some clients send under this name.
    case deflate

    /// Returns the coding with this name, in any case; nil for one that is not accepted.
    init?(_ name: String) {
      switch name.lowercased() {
      case "gzip", "x-gzip": self = .gzip
      case "deflate": self = .deflate
      default: return nil  // open: String
      }
    }
  }

  enum InflationError: Error {
    /// The decompressed body exceeds the limit.
    case tooLarge
    /// The body is cut off, changed or in another format.
    case damaged
  }

  private static let chunkBytes = 16 * 1024
  /// zlib's largest window. zlib adds 16 for gzip and negates it for raw deflate.
  private static let windowBits: Int32 = 15

  /// Decompresses `packed`.
  ///
  /// - Throws: ``InflationError``.
  static func inflate(_ packed: [UInt8], _ coding: Coding, bytesMax: Int) throws -> [UInt8] {
    var stream = z_stream()
    guard bellhop_inflate_init(&stream, format(of: packed, coding)) == Z_OK else {
      throw InflationError.damaged
    }
    defer { inflateEnd(&stream) }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: chunkBytes)
    var packed = packed
    try packed.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      while true {
        let status = chunk.withUnsafeMutableBufferPointer { target in
          stream.next_out = target.baseAddress
          stream.avail_out = UInt32(target.count)
          return CZlib.inflate(&stream, Z_NO_FLUSH)
        }
        output += chunk.prefix(chunkBytes - Int(stream.avail_out))
        guard output.count <= bytesMax else { throw InflationError.tooLarge }
        switch status {
        case Z_OK: continue
        case Z_STREAM_END where stream.avail_in == 0: return
        // A gzip file may have several members, one after the other (RFC 1952 §2.2).
        case Z_STREAM_END where coding == .gzip && inflateReset(&stream) == Z_OK: continue
        default: throw InflationError.damaged  // open: Int32
        }
      }
    }
    return output
  }

  private static func format(of packed: [UInt8], _ coding: Coding) -> Int32 {
    switch coding {
    case .gzip: return windowBits + 16
    case .deflate:
      guard packed.count >= 2, packed[0] & 0x0f == 8,
        (Int(packed[0]) << 8 | Int(packed[1])) % 31 == 0
      else { return -windowBits }
      return windowBits
    }
  }
}
