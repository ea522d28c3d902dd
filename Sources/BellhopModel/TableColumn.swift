/// A column of a table: an enum with its cases in the order of selection.
///
/// A query selects ``list``, and code reads its rows by case, so that no code counts columns.
package protocol TableColumn: RawRepresentable<Int>, CaseIterable, Hashable, Sendable {}

extension TableColumn {
  /// The name of the column in SQL: that of the case, in snake case.
  package var name: String {
    var name = ""
    for character in "\(self)" {
      if character.isUppercase { name += "_" }
      name += character.lowercased()
    }
    return name
  }

  /// The names of all columns, separated by commas.
  package static var list: String { list(of: allCases) }

  /// Returns the names of some columns, separated by commas.
  package static func list(of columns: some Sequence<Self>) -> String {
    columns.map(\.name).joined(separator: ", ")
  }
}
