/// The width of Unicode scalars in terminal cells: the package's only width function.
package enum CellWidth {
  /// Returns the number of cells that a terminal uses for `scalar`: 0 (it joins the previous cell),
  /// 1 or 2.
  ///
  /// - Returns: nil for scalars that terminals do not print: controls, separators, unassigned code
  ///   points.
  package static func of(_ scalar: Unicode.Scalar) -> Int? {
    let value = scalar.value
    if value < 0x7F { return value >= 0x20 ? 1 : (value == 0 ? 0 : nil) }
    var low = 0
    var high = cellWidthRuns.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if cellWidthRuns[middle] >> 2 <= value { low = middle } else { high = middle }
    }
    let width = Int(cellWidthRuns[low] & 3)
    return width == 3 ? nil : width
  }
}
