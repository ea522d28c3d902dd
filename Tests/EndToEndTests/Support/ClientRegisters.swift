import BellhopTestSupport

/// The possible register values of some items, according to confirmed commands.
struct ClientRegisters {
  struct Step {
    var number: Int
    var verb: String
  }

  private static let verbs = [
    "dismiss": ("action", "dismissed"), "restore": ("action", "noInteraction"),
    "read": ("read", "read"), "unread": ("read", "unread"),
  ]

  /// The possible values, by item and register.
  private var possible: [String: Set<String>] = [:]
  private let count: Int

  init(count: Int) {
    self.count = count
    for number in 1...count {
      possible["\(number) action"] = ["noInteraction"]
      possible["\(number) read"] = ["unread"]
    }
  }

  func step(_ number: Int, _ random: inout SeededRandom) -> Step {
    Step(number: number, verb: Self.verbs.keys.sorted().randomElement(using: &random) ?? "read")
  }

  private func target(_ step: Step) -> (key: String, value: String) {
    let (register, value) = Self.verbs[step.verb] ?? ("", "")
    return ("\(step.number) \(register)", value)
  }

  /// Records that the command returned 0: no other value is possible any more.
  mutating func confirm(_ step: Step) {
    let (key, value) = target(step)
    possible[key] = [value]
  }

  /// Records that the command was killed: it may have had its effect or not.
  mutating func doubt(_ step: Step) {
    let (key, value) = target(step)
    possible[key, default: []].insert(value)
  }

  /// Compares with the store, and continues from its values.
  mutating func settle(_ mirror: StoreMirror) -> [String] {
    var complaints: [String] = []
    for number in 1...count {
      guard let item = mirror.items.values.first(where: { $0.title == "Item \(number)" }) else {
        complaints.append("Item \(number) is gone")
        continue
      }
      for (key, value) in [("\(number) action", item.action), ("\(number) read", item.read)] {
        if possible[key]?.contains(value) != true {
          complaints.append("\(key) is \(value), not one of \(possible[key] ?? [])")
        }
        possible[key] = [value]
      }
    }
    return complaints
  }
}
