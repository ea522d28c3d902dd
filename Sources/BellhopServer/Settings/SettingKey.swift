internal import BellhopSettings

/// One key of the configuration file: name, help, what it takes, and where that goes.
struct SettingKey: Sendable {
  /// With its table: `server.body-bytes-max`.
  let path: String
  let help: String
  /// Completes "… is to be".
  let expected: String
  /// The value as the file would say it; nil when there is none.
  let written: @Sendable (StoreSettings) -> String?
  /// Shown where there is no default.
  var example = ""
  /// Takes the value over; false when it is none of those expected.
  let set: @Sendable (inout StoreSettings, TOMLSetting) -> Bool

  typealias Place<Value> = WritableKeyPath<StoreSettings, Value> & Sendable

  static func count(
    _ path: String, _ place: any Place<Int>, _ range: ClosedRange<Int>, _ help: String
  ) -> SettingKey {
    SettingKey(
      path: path, help: help,
      expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      written: { String($0[keyPath: place]) },
      set: { settings, value in
        guard let number = value.number, range.contains(number) else { return false }
        settings[keyPath: place] = number
        return true
      })
  }

  static func bytes(
    _ path: String, _ place: any Place<Int>, _ range: ClosedRange<Int>, _ help: String
  ) -> SettingKey {
    let (low, high) = (ByteCount.text(range.lowerBound), ByteCount.text(range.upperBound))
    return SettingKey(
      path: path, help: help, expected: "a size from \(low) to \(high), such as \"64 KiB\"",
      written: { "\"\(ByteCount.text($0[keyPath: place]))\"" },
      set: { settings, value in
        guard let bytes = value.number ?? value.text.flatMap(ByteCount.init(text:))?.bytes,
          range.contains(bytes)
        else { return false }
        settings[keyPath: place] = bytes
        return true
      })
  }

  static func span(
    _ path: String, _ place: any Place<Duration>, _ range: ClosedRange<Duration>, _ help: String
  ) -> SettingKey {
    SettingKey(
      path: path, help: help, expected: TimeSpan.expectation(range),
      written: { "\"\(TimeSpan.text($0[keyPath: place]))\"" },
      set: { settings, value in
        guard let span = value.text.flatMap(TimeSpan.init(text:))?.duration,
          range.contains(span)
        else { return false }
        settings[keyPath: place] = span
        return true
      })
  }

  static func optionalSpan(
    _ path: String, _ place: any Place<Duration?>, _ range: ClosedRange<Duration>, _ help: String
  ) -> SettingKey {
    SettingKey(
      path: path, help: help, expected: "\"none\", or " + TimeSpan.expectation(range),
      written: { $0[keyPath: place].map { "\"\(TimeSpan.text($0))\"" } ?? "\"none\"" },
      set: { settings, value in
        if value.text == "none" {
          settings[keyPath: place] = nil
          return true
        }
        guard let span = value.text.flatMap(TimeSpan.init(text:))?.duration,
          range.contains(span)
        else { return false }
        settings[keyPath: place] = span
        return true
      })
  }

  static func text(
    _ path: String, _ place: any Place<String?>, example: String, _ help: String
  ) -> SettingKey {
    SettingKey(
      path: path, help: help, expected: "a text such as \(example)",
      written: { $0[keyPath: place].map { "\"\($0)\"" } }, example: example,
      set: { settings, value in
        guard let text = value.text, (1...4096).contains(text.utf8.count) else { return false }
        settings[keyPath: place] = text
        return true
      })
  }

  /// One text, or a list of them.
  static func texts(
    _ path: String, _ place: any Place<[String]>, example: String, _ help: String
  ) -> SettingKey {
    SettingKey(
      path: path, help: help, expected: "a text such as \(example), or a list of them",
      written: { settings in
        let texts = settings[keyPath: place].map { "\"\($0)\"" }
        return texts.isEmpty ? nil : "[\(texts.joined(separator: ", "))]"
      }, example: example,
      set: { settings, value in
        let items: [TOMLSetting] = if case .list(let items) = value { items } else { [value] }
        let texts = items.compactMap(\.text)
        guard texts.count == items.count, texts.count <= 64 else { return false }
        settings[keyPath: place] = texts
        return true
      })
  }

  /// One of the values of a type.
  static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ path: String, _ place: any Place<Value>, _ help: String
  ) -> SettingKey {
    let names = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    return SettingKey(
      path: path, help: "\(help) One of \(names).", expected: "one of \(names)",
      written: { "\"\($0[keyPath: place].rawValue)\"" },
      set: { settings, value in
        guard let choice = value.text.flatMap(Value.init(rawValue:)) else { return false }
        settings[keyPath: place] = choice
        return true
      })
  }
}

/// A size as people write it: `64 KiB`, `1 MiB`, `300`.
struct ByteCount: Hashable, Sendable {
  let bytes: Int

  private static let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)]

  init?(text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).trimmed
    guard let number = Int(digits),
      let factor = unit.isEmpty ? 1 : Self.units.first(where: { $0.0 == unit })?.1
    else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    bytes = product
  }

  static func text(_ bytes: Int) -> String {
    let fitting = units.first { bytes >= $0.1 && bytes % $0.1 == 0 }
    guard let (name, factor) = fitting else { return "\(bytes) B" }
    return "\(bytes / factor) \(name)"
  }
}

/// A span of time as people write it: `250ms`, `25s`, `10m`, `12h`, `30d`.
struct TimeSpan: Hashable, Sendable {
  let duration: Duration

  /// The longest span of any setting.
  static let longest = Duration.seconds(100 * 365 * 86_400)
  private static let units: [(name: String, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
  ]

  init?(text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).trimmed
    guard let number = Int64(digits),
      let factor = Self.units.first(where: { $0.name == unit })?.milliseconds
    else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    duration = .milliseconds(product)
  }

  static func text(_ span: Duration) -> String {
    let whole = span / .milliseconds(1)
    let milliseconds = Int64(whole.rounded())
    let unit = units.first {
      milliseconds >= $0.milliseconds && milliseconds % $0.milliseconds == 0
    }
    guard let unit else { return "\(milliseconds)ms" }
    return "\(milliseconds / unit.milliseconds)\(unit.name)"
  }

  static func expectation(_ range: ClosedRange<Duration>) -> String {
    "a time from \(text(range.lowerBound)) to \(text(range.upperBound)), such as \"90s\" or \"30d\""
  }
}
