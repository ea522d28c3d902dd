extension KeyedDecodingContainer {
  /// Decodes a level from its word.
  func priority(forKey key: Key) throws -> Priority {
    try priority(try decode(String.self, forKey: key), key)
  }

  /// Decodes a level from its word; nil if the member is missing.
  func priorityIfPresent(forKey key: Key) throws -> Priority? {
    try decodeIfPresent(String.self, forKey: key).map { try priority($0, key) }
  }

  private func priority(_ word: String, _ key: Key) throws -> Priority {
    guard let priority = Priority(name: word) else {
      throw invalid(key, expected: "min, low, normal, high or urgent")
    }
    return priority
  }
}
