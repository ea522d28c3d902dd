// MARK: - Values of any type

extension Setting {
  /// A setting whose value `read` makes of TOML; nil if it cannot.
  package static func value<Value>(
    _ path: String, _ place: any Place<Value>, expected: String, example: String? = nil,
    _ help: String, written: @escaping @Sendable (Value) -> String?,
    read: @escaping @Sendable (TOMLValue) -> Value?
  ) -> Setting {
    Setting(
      path, expected: expected, example: example, help, written: { written($0[keyPath: place]) },
      read: { (value, root) throws(SettingError) in
        guard let new = read(value) else { throw SettingError(path, mustBe: expected) }
        root[keyPath: place] = new
      })
  }

  /// A setting that has no value unless the file gives one.
  package static func optional<Value>(
    _ path: String, _ place: any Place<Value?>, expected: String, example: String? = nil,
    _ help: String, written: @escaping @Sendable (Value) -> String,
    read: @escaping @Sendable (TOMLValue) -> Value?
  ) -> Setting {
    value(
      path, place, expected: expected, example: example, help, written: { $0.map(written) },
      read: { read($0).map(Optional.some) })
  }

  /// One value or a list of them, at most 64.
  package static func list<Value>(
    _ path: String, _ place: any Place<[Value]>, expected: String, example: String? = nil,
    _ help: String, written: @escaping @Sendable (Value) -> String,
    read: @escaping @Sendable (TOMLValue) -> Value?
  ) -> Setting {
    let countMax = 64
    return value(
      path, place, expected: expected + ", or a list of them", example: example, help,
      written: { $0.isEmpty ? nil : TOMLText.array($0.map(written)) },
      read: { $0.each(read).flatMap { $0.count <= countMax ? $0 : nil } })
  }

  /// One of several values, each with its name in the file.
  package static func choice<Value: Equatable & Sendable>(
    _ path: String, _ place: any Place<Value>, among values: [(name: String, value: Value)],
    example: String? = nil, _ help: String
  ) -> Setting {
    value(
      path, place, expected: values.map { TOMLText.quoted($0.name) }.alternatives,
      example: example, help,
      written: { value in
        values.first { $0.value == value }.map { TOMLText.quoted($0.name) }
      },
      read: { value in values.first { $0.name == value.text }?.value })
  }
}

// MARK: - Values of one type

extension Setting {
  package static func flag(
    _ path: String, _ place: any Place<Bool>, example: String? = nil, _ help: String
  ) -> Setting {
    value(
      path, place, expected: "true or false", example: example, help, written: { String($0) },
      read: \.flag)
  }

  package static func count(
    _ path: String, _ place: any Place<Int>, _ range: ClosedRange<Int>, _ help: String
  ) -> Setting {
    value(
      path, place,
      expected: "a whole number from \(range.lowerBound) to \(range.upperBound)", help,
      written: { String($0) }, read: { $0.number(in: range) })
  }

  /// A size, as a number of bytes or a text with a unit.
  package static func bytes(
    _ path: String, _ place: any Place<Int>, _ range: ClosedRange<Int>, _ help: String
  ) -> Setting {
    let (low, high) = (ByteCount.text(range.lowerBound), ByteCount.text(range.upperBound))
    return value(
      path, place, expected: "a size from \(low) to \(high), such as \"64 KiB\"", help,
      written: { TOMLText.quoted(ByteCount.text($0)) },
      read: { value in
        (value.number ?? value.text.flatMap(ByteCount.bytes))
          .flatMap { range.contains($0) ? $0 : nil }
      })
  }

  package static func span(
    _ path: String, _ place: any Place<Duration>, _ range: ClosedRange<Duration>, _ help: String
  ) -> Setting {
    value(
      path, place, expected: expectedSpan(range), help,
      written: { TOMLText.quoted(TimeSpan.text($0)) }, read: { span($0, in: range) })
  }

  /// A span of time, or `"none"`.
  package static func optionalSpan(
    _ path: String, _ place: any Place<Duration?>, _ range: ClosedRange<Duration>, _ help: String
  ) -> Setting {
    value(
      path, place, expected: "\"none\", or " + expectedSpan(range), help,
      written: { TOMLText.quoted($0.map(TimeSpan.text) ?? "none") },
      read: { $0.text == "none" ? .some(nil) : span($0, in: range).map(Optional.some) })
  }

  private static func span(_ value: TOMLValue, in range: ClosedRange<Duration>) -> Duration? {
    value.text.flatMap(TimeSpan.duration).flatMap { range.contains($0) ? $0 : nil }
  }

  private static func expectedSpan(_ range: ClosedRange<Duration>) -> String {
    let (low, high) = (TimeSpan.text(range.lowerBound), TimeSpan.text(range.upperBound))
    return "a time from \(low) to \(high), such as \"90s\" or \"30d\""
  }

  /// A text of 1 to 4096 bytes, or one that `isValid` accepts.
  package static func text(
    _ path: String, _ place: any Place<String?>, expected: String? = nil, example: String,
    _ help: String,
    where isValid: @escaping @Sendable (String) -> Bool = { (1...4096).contains($0.utf8.count) }
  ) -> Setting {
    optional(
      path, place, expected: expected ?? "a text such as \(example)", example: example, help,
      written: TOMLText.quoted, read: { $0.text.flatMap { isValid($0) ? $0 : nil } })
  }

  /// One text or a list of them, at most 64.
  package static func texts(
    _ path: String, _ place: any Place<[String]>, expected: String? = nil, example: String,
    _ help: String, where isValid: @escaping @Sendable (String) -> Bool = { _ in true }
  ) -> Setting {
    list(
      path, place, expected: expected ?? "a text such as \(example)", example: example, help,
      written: TOMLText.quoted, read: { $0.text.flatMap { isValid($0) ? $0 : nil } })
  }

  /// One of the values of a type. Adds their names to the help.
  package static func choice<Value: RawRepresentable<String> & CaseIterable & Equatable & Sendable>(
    _ path: String, _ place: any Place<Value>, _ help: String
  ) -> Setting {
    let values = Value.allCases.map { (name: $0.rawValue, value: $0) }
    let names = values.map { TOMLText.quoted($0.name) }.alternatives
    return choice(path, place, among: values, "\(help) One of \(names).")
  }
}

// MARK: - Tables

extension Setting {
  /// A list of tables below `[[path]]`.
  package static func tables<Element>(
    _ path: String, _ place: any Place<[Element]>, of schema: SettingsSchema<Element>,
    from standard: @escaping @Sendable () -> Element, countMax: Int, _ help: String
  ) -> Setting {
    let expected = "at most \(countMax) tables, each under [[\(path)]]"
    return Setting(
      path, expected: expected, example: "[[\(path)]]\n" + schema.example, form: .tables, help,
      written: { root in
        let tables = root[keyPath: place].map { "[[\(path)]]\n" + schema.lines(of: $0) }
        return tables.isEmpty ? nil : tables.joined(separator: "\n\n")
      },
      read: { (value, root) throws(SettingError) in
        guard let values = value.list, values.count <= countMax else {
          throw SettingError(path, mustBe: expected)
        }
        var parts: [SettingError.Part] = []
        root[keyPath: place] = values.enumerated().compactMap { index, value in
          schema.element(
            value, at: "\(path)[\(index + 1)]", below: "[[\(path)]]", from: standard(), &parts)
        }
        if !parts.isEmpty { throw SettingError(parts) }
      })
  }

  /// Tables by names that the user chooses, each below `[path.NAME]`.
  package static func namedTables<Element>(
    _ path: String, _ place: any Place<[String: Element]>, of schema: SettingsSchema<Element>,
    from standard: @escaping @Sendable () -> Element, countMax: Int, named example: String,
    _ help: String
  ) -> Setting {
    let expected = "at most \(countMax) tables, each under [\(path).NAME]"
    return Setting(
      path, expected: expected, example: "[\(path).\(example)]\n" + schema.example, form: .tables,
      help,
      written: { root in
        let tables = root[keyPath: place].sorted { $0.key < $1.key }.map { name, element in
          "[\(path).\(TOMLText.quoted(name))]\n" + schema.lines(of: element)
        }
        return tables.isEmpty ? nil : tables.joined(separator: "\n\n")
      },
      read: { (value, root) throws(SettingError) in
        guard let values = value.table, values.count <= countMax else {
          throw SettingError(path, mustBe: expected)
        }
        var parts: [SettingError.Part] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
          root[keyPath: place][name] = schema.element(
            value, at: "\(path).\(name)", below: "[\(path).NAME]", from: standard(), &parts)
        }
        if !parts.isEmpty { throw SettingError(parts) }
      })
  }
}

extension [String] {
  /// The words as alternatives: `a`, `a or b`, `a, b or c`.
  var alternatives: String {
    count < 2 ? joined() : dropLast().joined(separator: ", ") + " or " + self[count - 1]
  }
}
