/// A value of the data that an app hands to its handlers (`userInfo`): any JSON.
///
/// A number that is not a whole number of 64 bits is rounded to a `Double`.
public indirect enum InfoValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case list([InfoValue])
  case object([String: InfoValue])
}

extension InfoValue: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([InfoValue].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: InfoValue].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

extension InfoValue {
  /// Calls a function with each text of the value, the names of members included.
  package func eachText(_ body: (String) -> Void) {
    switch self {
    case .null, .bool, .integer, .number: break
    case .text(let text): body(text)
    case .list(let values): for value in values { value.eachText(body) }
    case .object(let members):
      for (name, value) in members {
        body(name)
        value.eachText(body)
      }
    }
  }
}
