import CPty

/// Values of this machine's C library, for comparison.
package enum SystemLibrary {
  /// The library's version, such as "2.36".
  package static var version: String { String(cString: cpty_library_version()) }

  /// The cells of each code point in the C.UTF-8 locale; -1 for those that are not printable.
  package static func cellWidths() -> [Int] {
    let count = 0x110000
    let widths = [Int8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = cpty_cell_widths(UInt32(count), buffer.baseAddress) == 0 ? count : 0
    }
    return widths.map { Int($0) }
  }
}
