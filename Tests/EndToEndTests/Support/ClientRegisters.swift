import BellhopTestSupport

/// What the registers of some items may be, by what commands confirmed.
struct ClientRegisters {
  struct Step {
    var number: Int
    var verb: String
  }

  private static let verbs = [
    "dismiss": ("action", "dismissed"), "restore": ("action", "noInteraction"),
    "read": ("read", "read"), "unread": ("read", "unread"),
  ]

  /// By item and register: the values that it may have.
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

  /// The command returned 0: nothing else is possible any more.
  mutating func confirm(_ step: Step) {
    let (key, value) = target(step)
    possible[key] = [value]
  }

  /// The command was killed: it may have done its work or not.
  mutating func doubt(_ step: Step) {
    let (key, value) = target(step)
    possible[key, default: []].insert(value)
  }

  /// Compares with the store, and goes on from what is there.
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
