/// The accepted signing algorithms (RFC 7518 §3.1, RFC 8037 §3.1). `none` and the algorithms with a
/// shared secret are excluded and cannot be configured.
package enum SigningAlgorithm: String, Hashable, Sendable, CaseIterable {
  case rs256 = "RS256"
  case ps256 = "PS256"
  case es256 = "ES256"
  case es384 = "ES384"
  case edDSA = "EdDSA"

  /// Creates the algorithm with this name, which is compared byte for byte.
  package init?(named name: String) { self.init(rawValue: name) }
}
