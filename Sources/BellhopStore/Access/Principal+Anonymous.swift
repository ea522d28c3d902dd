internal import BellhopModel

extension Principal {
  /// The token id of a client without a token. No stored token has it.
  package static let anonymousTokenID = AccessTokenID(high: 0, low: 0)

  /// Whether the client has no token.
  package var isAnonymous: Bool { token.id == Self.anonymousTokenID }
}
