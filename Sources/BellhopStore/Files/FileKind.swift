/// The type of a file, determined by its first bytes; the publisher's type is ignored.
enum FileKind {
  /// The number of bytes that are examined.
  static let headBytes = 1024
  static let unknown = "application/octet-stream"

  /// The signatures of file formats: their offset, their bytes and the media type.
  private static let marks: [(offset: Int, bytes: [UInt8], type: String)] = [
    (0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "image/png"),
    (0, [0xff, 0xd8, 0xff], "image/jpeg"),
    (0, Array("GIF87a".utf8), "image/gif"),
    (0, Array("GIF89a".utf8), "image/gif"),
    (8, Array("WEBP".utf8), "image/webp"),
    (8, Array("WAVE".utf8), "audio/wav"),
    (0, Array("%PDF-".utf8), "application/pdf"),
    (0, [0x50, 0x4b, 0x03, 0x04], "application/zip"),
    (0, [0x1f, 0x8b, 0x08], "application/gzip"),
    (0, [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], "application/x-xz"),
    (0, [0x28, 0xb5, 0x2f, 0xfd], "application/zstd"),
    (0, Array("OggS".utf8), "audio/ogg"),
    (0, Array("fLaC".utf8), "audio/flac"),
    (0, Array("ID3".utf8), "audio/mpeg"),
    (0, [0xff, 0xfb], "audio/mpeg"),
    (4, Array("ftyp".utf8), "video/mp4"),
    (0, [0x1a, 0x45, 0xdf, 0xa3], "video/webm"),
  ]

  /// Returns the media type of a file with these first bytes.
  ///
  /// - Parameter isWhole: whether these are all the bytes of the file.
  static func type(of head: [UInt8], isWhole: Bool) -> String {
    for mark in marks where head.dropFirst(mark.offset).starts(with: mark.bytes) {
      // Two formats share one container, which has its own signature.
      if mark.offset == 8, !head.starts(with: Array("RIFF".utf8)) { continue }
      return mark.type
    }
    return isText(head, isWhole: isWhole) ? "text/plain" : unknown
  }

  /// Whether the bytes are UTF-8 without control characters that no text contains. HTML and similar
  /// formats count as text on purpose: no client should execute them.
  private static func isText(_ head: [UInt8], isWhole: Bool) -> Bool {
    var bytes = head[...]
    if !isWhole {
      // The last character may be incomplete.
      for _ in 0..<3 {
        if String(validating: bytes, as: UTF8.self) != nil { break }
        bytes = bytes.dropLast()
      }
    }
    guard String(validating: bytes, as: UTF8.self) != nil else { return false }
    return bytes.allSatisfy {
      $0 >= 0x20 && $0 != 0x7f || [0x09, 0x0a, 0x0c, 0x0d, 0x1b].contains($0)
    }
  }
}

/// The name of a file, safe in a path, a header and on a screen.
enum FileName {
  static let bytesMax = 255

  /// Returns the name for a file without one, based on its type.
  static func fallback(for type: String) -> String {
    let suffixes = [
      "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp",
      "application/pdf": "pdf", "application/zip": "zip", "application/gzip": "gz",
      "audio/mpeg": "mp3", "audio/ogg": "ogg", "audio/flac": "flac", "audio/wav": "wav",
      "video/mp4": "mp4", "video/webm": "webm", "text/plain": "txt",
    ]
    return "attachment." + (suffixes[type] ?? "bin")
  }

  /// The maximum number of bytes read from an untrusted name: its end, with the extension. No file
  /// system has longer names, and a longer text would be slow to clean.
  static let readBytesMax = 1024

  /// Returns the safe part of an untrusted name, or nil if nothing is left.
  ///
  /// It is the last path component without control characters, direction marks and the like, at
  /// most ``bytesMax`` bytes with its extension.
  static func cleaned(_ text: String) -> String? {
    let end = text.utf8.suffix(readBytesMax).drop { UTF8.isContinuation($0) }
    let component =
      Substring(end).split(
        omittingEmptySubsequences: true, whereSeparator: { $0 == "/" || $0 == "\\" }
      ).last ?? ""
    var scalars = String.UnicodeScalarView()
    for scalar in component.unicodeScalars where isSafe(scalar) { scalars.append(scalar) }
    var name = Substring(String(scalars))
    while let first = name.first, first.isWhitespace { name.removeFirst() }
    while let last = name.last, last.isWhitespace { name.removeLast() }
    guard !name.isEmpty, !name.allSatisfy({ $0 == "." }) else { return nil }
    return shortened(String(name))
  }

  private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
      .privateUse:
      // The zero-width joiner connects the parts of emoji and of some scripts.
      scalar == "\u{200d}"
    default: scalar != "/" && scalar != "\\"  // open: Unicode.GeneralCategory
    }
  }

  private static func shortened(_ name: String) -> String? {
    guard name.utf8.count > bytesMax else { return name }
    var suffix = ""
    if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 16 {
      suffix = String(name[dot...])
    }
    var stem = name.dropLast(suffix.count)
    while stem.utf8.count + suffix.utf8.count > bytesMax { stem.removeLast() }
    // One character may be as long as a whole name.
    return stem.isEmpty ? nil : stem + suffix
  }
}
