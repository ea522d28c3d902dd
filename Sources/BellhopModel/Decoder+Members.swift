/// The name of any member of an object.
struct MemberKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension Decoder {
  /// Throws an error that names the first member of the object that is not one of `names`.
  func refuseMembers(besides names: [String]) throws {
    let members = try container(keyedBy: MemberKey.self).allKeys.map(\.stringValue).sorted()
    guard let unknown = members.first(where: { !names.contains($0) }) else { return }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath + [MemberKey(stringValue: unknown)],
        debugDescription: "expected no such member: those of this object are "
          + names.joined(separator: ", ")))
  }
}
