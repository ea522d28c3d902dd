/// A type of a register's values, in the form that the wire and the databases share.
///
/// A value is one of a few words, and may have a time at which it ends by itself. A document is more
/// than its word.
package protocol RegisterValue: Hashable, Sendable {
  /// The form of the values in JSON and in the databases of stores.
  static var form: RegisterForm { get }
  /// All words, in the order of their numbers in the cache; the order never changes.
  static var words: [String] { get }
  /// The position of the value's word in ``words``.
  var code: UInt8 { get }
  /// The time at which the value ends; nil if it does not.
  var until: Timestamp? { get }
  /// The value itself, if it is a document; nil for a word.
  var document: AppliedEffect? { get }

  /// Creates a value; nil for an unknown code, or without the time or the document that it needs.
  init?(code: UInt8, until: Timestamp?, document: AppliedEffect?)
}

extension RegisterValue {
  package static var form: RegisterForm { .words }
  package var document: AppliedEffect? { nil }
}

/// A form of a register's values in JSON and in the databases of stores.
package enum RegisterForm: Sendable {
  /// One of a few words.
  case words
  /// `true` or `false`.
  case flag
  /// An object, which databases store as JSON.
  case document
}

/// A register's value of any type.
package struct CodedValue: Hashable, Sendable {
  /// The position of the value's word in ``ItemRegister/words``.
  package var code: UInt8
  /// The time at which the value ends by itself; nil if it does not.
  package var until: Timestamp?
  /// The value itself, in a register of documents; nil in any other.
  package private(set) var document: AppliedEffect?

  package init(code: UInt8, until: Timestamp? = nil) {
    self.code = code
    self.until = until
  }

  /// Creates the value of a register of documents.
  package init(document: AppliedEffect) {
    self.init(document)
  }

  init(_ value: some RegisterValue) {
    code = value.code
    until = value.until
    document = value.document
  }
}

extension ReadState: RegisterValue {
  package static let words = [Self.unread, .read].map(\.rawValue)
  package var code: UInt8 { self == .read ? 1 : 0 }
  package var until: Timestamp? { nil }

  package init?(code: UInt8, until: Timestamp?, document: AppliedEffect?) {
    guard code < Self.words.count else { return nil }
    self = code == 1 ? .read : .unread
  }
}

extension Bool: RegisterValue {
  package static let form = RegisterForm.flag
  package static let words = ["false", "true"]
  package var code: UInt8 { self ? 1 : 0 }
  package var until: Timestamp? { nil }

  package init?(code: UInt8, until: Timestamp?, document: AppliedEffect?) {
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

  package init?(code: UInt8, until: Timestamp?, document: AppliedEffect?) {
    guard code < Self.kinds.count else { return nil }
    self.init(kind: Self.kinds[Int(code)], snoozedUntil: until)
  }
}

extension AppliedEffect: RegisterValue {
  package static let form = RegisterForm.document
  package static let words = ["none", "applied"]
  package var code: UInt8 { self == .empty ? 0 : 1 }
  package var until: Timestamp? { nil }
  package var document: AppliedEffect? { self }

  package init?(code: UInt8, until: Timestamp?, document: AppliedEffect?) {
    guard code < Self.words.count, code == 0 || document != nil else { return nil }
    self = document ?? .empty
  }
}
