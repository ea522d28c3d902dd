extension KeyedDecodingContainer {
  /// Returns the error of a member whose value is not acceptable.
  package func invalid(_ key: Key, expected expectation: String) -> DecodingError {
    .dataCorruptedError(forKey: key, in: self, debugDescription: "expected " + expectation)
  }
}
