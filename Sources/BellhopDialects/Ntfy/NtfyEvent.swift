internal import BellhopServer
internal import BellhopWire

/// What one of ntfy's readers is told. It is written when the reader's form is known, and then once
/// for all who are told the same.
struct NtfyEvent: Sendable {
  private let shared: (texts: SharedTexts, key: SharedTexts.Key)?
  private let make: @Sendable () -> JSONValue

  /// - Parameters:
  ///   - key: all that the event depends on, without the form.
  ///   - texts: where it is shared; nil for an event of one reader.
  init(
    _ key: SharedTexts.Key, in texts: SharedTexts?, _ make: @escaping @Sendable () -> JSONValue
  ) {
    shared = texts.map { ($0, key) }
    self.make = make
  }

  /// An event of one reader.
  init(_ value: JSONValue) {
    shared = nil
    make = { value }
  }

  var value: JSONValue { make() }

  /// - Parameter form: names what `write` makes of it.
  func text(_ form: String, _ write: (JSONValue) -> String) -> String {
    guard let shared else { return write(make()) }
    var key = shared.key
    key.form = form
    return shared.texts.text(key) { write(make()) }
  }
}
