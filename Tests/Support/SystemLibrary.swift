import CPty

/// What the C library of this machine says, to compare with.
package enum SystemLibrary {
  /// Its version, such as "2.36".
  package static var version: String { String(cString: cpty_library_version()) }

  /// The cells it counts for each code point in the C.UTF-8 locale; -1 for what it does not print.
  package static func cellWidths() -> [Int] {
    let count = 0x110000
    let widths = [Int8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = cpty_cell_widths(UInt32(count), buffer.baseAddress) == 0 ? count : 0
    }
    return widths.map { Int($0) }
  }
}
