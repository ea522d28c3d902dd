/// A type of a register's values, in the form that the wire and the databases share.
///
/// A value is one of a few words, and may have a time at which it ends by itself.
package protocol RegisterValue: Hashable, Sendable {
  /// All words, in the order of their numbers in the cache; the order never changes.
  static var words: [String] { get }
  /// The position of the value's word in ``words``.
  var code: UInt8 { get }
  /// The time at which the value ends; nil if it does not.
  var until: Timestamp? { get }

  /// Creates a value; nil for an unknown code, or if the time at which it ends is missing.
  init?(code: UInt8, until: Timestamp?)
}

/// A register's value of any type.
package struct CodedValue: Hashable, Sendable {
  /// The position of the value's word in ``ItemRegister/words``.
  package var code: UInt8
  /// The time at which the value ends by itself; nil if it does not.
  package var until: Timestamp?

  package init(code: UInt8, until: Timestamp? = nil) {
    self.code = code
    self.until = until
  }
}

extension ReadState: RegisterValue {
  package static let words = [Self.unread, .read].map(\.rawValue)
  package var code: UInt8 { self == .read ? 1 : 0 }
  package var until: Timestamp? { nil }

  package init?(code: UInt8, until: Timestamp?) {
    guard code < Self.words.count else { return nil }
    self = code == 1 ? .read : .unread
  }
}

extension Bool: RegisterValue {
  package static let words = ["false", "true"]
  package var code: UInt8 { self ? 1 : 0 }
  package var until: Timestamp? { nil }

  package init?(code: UInt8, until: Timestamp?) {
    guard code < Self.words.count else { return nil }
    self = code == 1
  }
}

extension UserActionState: RegisterValue {
  private static let kinds: [Kind] = [.noInteraction, .activated, .dismissed, .snoozed]
  package static let words = kinds.map(\.rawValue)
  package var until: Timestamp? { snoozedUntil }

  package var code: UInt8 {
    switch self {
    case .noInteraction: 0
    case .activated: 1
    case .dismissed: 2
    case .snoozed: 3
    }
  }

  package init?(code: UInt8, until: Timestamp?) {
    guard code < Self.kinds.count else { return nil }
    self.init(kind: Self.kinds[Int(code)], snoozedUntil: until)
  }
}
