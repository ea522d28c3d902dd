/// A column of a table: an enum whose cases stand in the order in which queries select them.
///
/// A query selects ``list``, and its rows are read by case, so that no code counts columns.
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

  /// The names of some columns, separated by commas.
  package static func list(of columns: some Sequence<Self>) -> String {
    columns.map(\.name).joined(separator: ", ")
  }
}
