/// One setting of a configuration file: its name, its help, and how its value is read and written.
///
/// `Root` is the type that holds the values of all settings of the file.
package struct Setting<Root>: Sendable {
  /// The way in which a file writes a setting.
  package enum Form: Hashable, Sendable {
    /// `name = value`.
    case value
    /// Tables, each below its header.
    case tables
  }

  package typealias Place<Value> = WritableKeyPath<Root, Value> & Sendable

  /// The name with its table, such as `limits.body`.
  package let path: String
  /// One paragraph; empty if the help of the table explains the setting.
  package let help: String
  /// The words that complete "… must be …".
  package let expected: String
  /// A value as TOML; nil if the default serves as an example.
  package let example: String?
  package let form: Form
  /// Reads the value of a file into the root.
  package let read: @Sendable (TOMLValue, inout Root) throws(SettingError) -> Void
  /// The value in force as TOML; nil if there is none. With headers in the form ``Form/tables``.
  package let written: @Sendable (Root) -> String?

  package init(
    _ path: String, expected: String, example: String? = nil, form: Form = .value, _ help: String,
    written: @escaping @Sendable (Root) -> String?,
    read: @escaping @Sendable (TOMLValue, inout Root) throws(SettingError) -> Void
  ) {
    self.path = path
    self.help = help
    self.expected = expected
    self.example = example
    self.form = form
    self.read = read
    self.written = written
  }
}

/// The error of values that do not fit their settings.
package struct SettingError: Error, Hashable {
  /// One setting, and what is wrong with it.
  package struct Part: Hashable, Sendable {
    package var path: String
    /// The rest of the sentence that begins with the path: `must be true or false.`
    package var reason: String
    /// Whether there is no such setting.
    package var isUnknown: Bool

    package init(_ path: String, _ reason: String, isUnknown: Bool = false) {
      self.path = path
      self.reason = reason
      self.isUnknown = isUnknown
    }
  }

  package var parts: [Part]

  package init(_ parts: [Part]) { self.parts = parts }

  package init(_ path: String, mustBe expected: String) {
    parts = [Part(path, "must be \(expected).")]
  }
}
