/// The members of an item to return, as in `$select` (OData 4.01 Protocol §11.2.5.1).
///
/// The id and the etag are always included.
package struct ItemSelection: Hashable, Sendable {
  let keys: Set<ItemKey>

  /// Every member that can be selected.
  private static let known: [ItemKey] = ItemKey.allCases.filter {
    !$0.rawValue.hasPrefix("@")
  }

  /// Parses the value of `$select`: comma-separated member names in any case.
  ///
  /// Returns nil for `*`, which selects everything.
  /// - Throws: ``WireError`` for an unknown member name.
  package static func parse(_ text: String) throws(WireError) -> ItemSelection? {
    var keys: Set<ItemKey> = [.etag, .id]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = part.drop(while: \.isWhitespace).prefix(while: { !$0.isWhitespace })
      if name == "*" { return nil }
      guard let key = known.first(where: { $0.rawValue.lowercased() == name.lowercased() })
      else {
        throw .invalid(
          field: "$select",
          expectation: "members of an item; “\(printable(name))” is not one of "
            + known.map(\.rawValue).joined(separator: ", "))
      }
      keys.insert(key)
    }
    return ItemSelection(keys: keys)
  }

  /// Returns the selected members of an item.
  func part(of item: JSONValue) -> JSONValue {
    guard case .object(let members) = item else { return item }
    let names = Set(keys.map(\.rawValue))
    return .object(members.filter { names.contains($0.key) })
  }

  private static func printable(_ name: Substring) -> String {
    String(name.filter { $0.isLetter || $0.isNumber || "-_./$".contains($0) }.prefix(64))
  }
}
