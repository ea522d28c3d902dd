#if BELLHOP_POSTGRES
import BellhopStorePostgres
import Synchronization

/// A recorder of the statements that the store sends, in the order of each session.
final class StatementRecorder: Sendable {
  private struct State {
    var isOn = false
    /// The sessions in the order of their first step.
    var sessions: [Int32] = []
    var steps: [Int32: [StatementStep]] = [:]
  }

  private let state = Mutex(State())

  func note(_ step: StatementStep, of session: Int32) {
    state.withLock { state in
      guard state.isOn else { return }
      if state.steps[session] == nil { state.sessions.append(session) }
      state.steps[session, default: []].append(step)
    }
  }

  /// Returns the steps that `body` causes, one list for each session.
  func record(_ body: () async throws -> Void) async throws -> [[StatementStep]] {
    state.withLock { $0 = State(isOn: true) }
    do {
      try await body()
    } catch {
      state.withLock { $0.isOn = false }
      throw error
    }
    return state.withLock { state in
      state.isOn = false
      return state.sessions.compactMap { state.steps[$0] }
    }
  }
}

extension PostgresValue {
  /// The name of its type in SQL.
  var typeName: String {
    switch self {
    case .integer: "int8"
    case .bool: "bool"
    case .double: "float8"
    case .text: "text"
    case .bytes: "bytea"
    case .integers: "int8[]"
    case .texts: "text[]"
    case .byteStrings: "bytea[]"
    }
  }

  /// The text that PostgreSQL reads as the value; nil for NULL.
  var inputText: String? {
    switch self {
    case .integer(let value): value.map { String($0) }
    case .bool(let value): value.map { $0 ? "t" : "f" }
    case .double(let value): value.map { String($0) }
    case .text(let value): value
    case .bytes(let value): value.map(Self.hexadecimal)
    case .integers(let values): Self.array(values.map { $0.map { String($0) } })
    case .texts(let values): Self.array(values)
    case .byteStrings(let values): Self.array(values.map { $0.map(Self.hexadecimal) })
    }
  }

  /// The value as an expression of SQL, with its type.
  var literal: String {
    guard let inputText else { return "NULL::\(typeName)" }
    return "'\(inputText.replacing("'", with: "''"))'::\(typeName)"
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = Array("\\x".utf8)
    for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  private static func array(_ values: [String?]) -> String {
    let words = values.map { value -> String in
      guard let value else { return "NULL" }
      let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return "\"\(escaped)\""
    }
    return "{" + words.joined(separator: ",") + "}"
  }
}
#endif
