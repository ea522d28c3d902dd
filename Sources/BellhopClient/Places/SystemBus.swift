internal import CBellhopSystem
internal import Glibc

/// A connection to the system's D-Bus, used by one thread at a time.
///
/// Throws a ``ClientError`` for each failure: `.configuration` for a missing bus or service,
/// `.notAllowed` for a refusal, and `.tryLater` if a service does not answer.
final class SystemBus {
  /// An interface of a service's object.
  struct Object: Hashable, Sendable {
    var service: String
    var path: String
    var interface: String
  }

  /// A signal that ``waitForSignal(until:within:)`` received.
  struct Signal: Hashable, Sendable {
    var path: String
    var member: String
    /// The first arguments, if they are texts or paths.
    var arguments: [String]
  }

  /// The type of a value in the notation of D-Bus.
  private enum ValueType: String {
    case text = "s"
    case path = "o"
    case bytes = "y"
    case number = "u"
    case real = "d"
    case truth = "b"

    var code: CChar { CChar(bitPattern: rawValue.utf8.first ?? 0) }
  }

  private let bus: OpaquePointer

  /// Connects to the bus of the variable `DBUS_SYSTEM_BUS_ADDRESS`, or else the usual one (D-Bus
  /// Specification 0.43, "Well-known Message Bus Instances").
  ///
  /// - Parameter limit: The time limit for the connection and for each call.
  init(environment: [String: String], limit: Duration) throws(ClientError) {
    let address =
      environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/run/dbus/system_bus_socket"
    if let bus = bellhop_bus_open(address, limit.wholeMilliseconds) {
      self.bus = bus
      return
    }
    throw switch errno {
    case ENOPKG:
      ClientError(.configuration, "The library libsystemd.so.0 is not installed.")
    case ETIMEDOUT: ClientError(.tryLater, "The system's D-Bus does not answer.")
    case ENOENT, ECONNREFUSED:
      ClientError(.configuration, "The system's D-Bus does not run.")
    case let code:
      ClientError(.inputOutput, "Cannot connect to the system's D-Bus: \(systemMessage(code)).")
    }
  }

  deinit { bellhop_bus_close(bus) }

  /// Changes the time limit for each call.
  func setLimit(_ limit: Duration) { _ = bellhop_bus_limit(bus, limit.wholeMilliseconds) }

  /// Whether a service runs. Does not start it.
  func runs(_ service: String) throws(ClientError) -> Bool {
    try call(Self.daemon, "NameHasOwner", argument: service, .truth).number != 0
  }

  /// Selects the signals to receive, by a match rule.
  func select(_ rule: String) throws(ClientError) {
    _ = try call(Self.daemon, "AddMatch", argument: rule, nil)
  }

  /// Calls a method without arguments and results.
  func call(_ object: Object, _ method: String) throws(ClientError) {
    _ = try call(object, method, argument: nil, nil)
  }

  /// Calls a method that returns the path of an object.
  func path(_ object: Object, _ method: String) throws(ClientError) -> String {
    try call(object, method, argument: nil, .path).text
  }

  func text(_ property: String, of object: Object) throws(ClientError) -> String {
    try get(property, of: object, .text).text
  }

  func path(_ property: String, of object: Object) throws(ClientError) -> String {
    try get(property, of: object, .path).text
  }

  func bytes(_ property: String, of object: Object) throws(ClientError) -> [UInt8] {
    try get(property, of: object, .bytes).content
  }

  func number(_ property: String, of object: Object) throws(ClientError) -> UInt32 {
    try get(property, of: object, .number).number
  }

  func real(_ property: String, of object: Object) throws(ClientError) -> Double {
    try get(property, of: object, .real).real
  }

  func set(_ property: String, of object: Object, to text: String) throws(ClientError) {
    let code = bellhop_bus_set_text(
      bus, object.service, object.path, object.interface, property, text)
    if code < 0 { throw failure(code, object.service) }
  }

  func set(_ property: String, of object: Object, to number: UInt32) throws(ClientError) {
    let code = bellhop_bus_set_number(
      bus, object.service, object.path, object.interface, property, number)
    if code < 0 { throw failure(code, object.service) }
  }

  /// Waits for the next selected signal.
  ///
  /// - Returns: nil if `end` was signalled, or the time has passed.
  func waitForSignal(until end: EndPipe, within limit: Duration?) throws(ClientError) -> Signal? {
    var signal = bellhop_bus_signal()
    let code = bellhop_bus_wait(
      bus, end.readingEnd, limit?.wholeMilliseconds ?? -1, &signal)
    if code < 0 { throw failure(code, Self.daemon.service) }
    guard code > 0 else { return nil }
    let arguments = [signal.arguments.0, signal.arguments.1, signal.arguments.2]
    return Signal(
      path: Self.text(signal.path), member: Self.text(signal.member),
      arguments: arguments.map(Self.text).filter { !$0.isEmpty })
  }

  // MARK: - Calls

  private static let daemon = Object(
    service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
    interface: "org.freedesktop.DBus")

  private func call(
    _ object: Object, _ method: String, argument: String?, _ expected: ValueType?
  ) throws(ClientError) -> bellhop_bus_value {
    var value = bellhop_bus_value()
    let code = bellhop_bus_call(
      bus, object.service, object.path, object.interface, method, argument, expected?.code ?? 0,
      &value)
    if code < 0 { throw failure(code, object.service) }
    return value
  }

  private func get(
    _ property: String, of object: Object, _ expected: ValueType
  ) throws(ClientError) -> bellhop_bus_value {
    var value = bellhop_bus_value()
    let code = bellhop_bus_get(
      bus, object.service, object.path, object.interface, property, expected.code, &value)
    if code < 0 { throw failure(code, object.service) }
    return value
  }

  private func failure(_ code: Int32, _ service: String) -> ClientError {
    let name =
      service == Self.daemon.service
      ? "The system's D-Bus" : service.split(separator: ".").last?.filter { !$0.isNumber } ?? ""
    let error = String(cString: bellhop_bus_error_name(bus))
    return switch error.split(separator: ".").last {
    case "ServiceUnknown", "NameHasNoOwner", "SpawnChildExited":
      ClientError(.configuration, "\(name) is not installed, or cannot be started.")
    case "AccessDenied": ClientError(.notAllowed, "\(name) refuses access to this program.")
    case "NoReply", "Timeout", "TimedOut":
      ClientError(.tryLater, "\(name) does not answer.")
    default:  // open: Substring?
      code == -ETIMEDOUT
        ? ClientError(.tryLater, "\(name) does not answer.")
        : ClientError(.inputOutput, "\(name) cannot be used: \(systemMessage(-code)).")
    }
  }

  private static func text<Field>(_ field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

extension bellhop_bus_value {
  fileprivate var content: [UInt8] { withUnsafeBytes(of: bytes) { Array($0.prefix(length)) } }
  fileprivate var text: String { String(decoding: content, as: UTF8.self) }
}
