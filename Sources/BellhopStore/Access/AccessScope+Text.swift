internal import BellhopModel

/// The text form of scopes in lists and commands.
extension AccessScope {
  /// The scope as text: `device`, `device:laptop-1`, `publish:ci.*`, `app:nas` or `enrol`.
  package var text: String {
    switch self {
    case .device(nil): "device"
    case .device(let id?): "device:\(id)"
    case .publish(let pattern): "publish:\(pattern.text)"
    case .app(let app): "app:\(app)"
    case .enrol: "enrol"
    }
  }

  /// Creates the scope with this text, or nil if the text is not a valid scope.
  package init?(text: String) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count) {
    case ("device", 1): self = .device(nil)
    case ("device", 2): self = .device(DeviceID(parts[1]))
    case ("publish", 2):
      guard let pattern = AppPattern(parts[1]) else { return nil }
      self = .publish(pattern)
    case ("app", 2):
      guard case .app(let app)? = AppPattern(parts[1]) else { return nil }
      self = .app(app)
    case ("enrol", 1): self = .enrol
    default: return nil  // open: (String?, Int)
    }
  }
}
