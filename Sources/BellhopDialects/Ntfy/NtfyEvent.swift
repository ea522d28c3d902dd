internal import BellhopServer
internal import BellhopWire

/// An event for ntfy's readers.
///
/// Its text is written once the format is known, and then shared by all readers of the same event.
struct NtfyEvent: Sendable {
  private let shared: (texts: SharedTexts, key: SharedTexts.Key)?
  private let make: @Sendable () -> JSONValue

  /// - Parameters:
  ///   - key: Everything that the event depends on, except the format.
  ///   - texts: The shared texts; nil for an event of one reader.
  init(
    _ key: SharedTexts.Key, in texts: SharedTexts?, _ make: @escaping @Sendable () -> JSONValue
  ) {
    shared = texts.map { ($0, key) }
    self.make = make
  }

  /// Creates an event of one reader.
  init(_ value: JSONValue) {
    shared = nil
    make = { value }
  }

  var value: JSONValue { make() }

  /// Returns the event's text in a format.
  ///
  /// - Parameter form: The name of the format that `write` produces.
  func text(_ form: String, _ write: (JSONValue) -> String) -> String {
    guard let shared else { return write(make()) }
    var key = shared.key
    key.form = form
    return shared.texts.text(key) { write(make()) }
  }
}
