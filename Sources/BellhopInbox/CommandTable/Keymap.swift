package import BellhopScreen

/// A sequence of keys: most commands take one, `gg` takes two.
package struct KeySequence: Hashable, Sendable, CustomStringConvertible {
  /// The keys; at least one.
  package let keys: [Key]

  /// Parses keys separated by blanks, as spelled in the configuration: `d`, `g g`, `Ctrl-d`.
  package init?(_ spelling: String) {
    let keys = spelling.split(separator: " ").map { Key(String($0)) }
    guard !keys.isEmpty, !keys.contains(nil) else { return nil }
    self.keys = keys.compactMap { $0 }
  }

  /// The spelling in the configuration: `g g`, `Ctrl-d`.
  package var spelling: String { keys.map(\.description).joined(separator: " ") }

  /// The spelling in help: `gg` for plain characters, otherwise with blanks.
  package var description: String {
    let isPlain = keys.allSatisfy { if case .character(let c) = $0 { c != " " } else { false } }
    return keys.map(\.description).joined(separator: isPlain ? "" : " ")
  }
}

/// The commands of all keys in all places, as data.
package struct Keymap: Sendable {
  /// A problem with the keys in the configuration; the defaults are used where necessary.
  package enum Problem: Hashable, Sendable {
    case unknownKey(String, command: Command)
    /// Two commands claim the same key, and the first one keeps it.
    case conflict(KeySequence, kept: Command, refused: Command)
    /// One of the sequences begins with the other, so the longer one could never be typed.
    case shadowed(KeySequence, by: KeySequence, command: Command)
    /// The letter also ends the bytes of an arrow or function key, which a slow line may split.
    case unsafeKey(KeySequence, Command)
    /// A command lost all its standard keys to a command to which the user assigned them.
    ///
    /// Includes a free key, if there is one.
    case keyless(Command, lost: KeySequence, to: Command, free: KeySequence?)
  }

  /// A standard key that the user assigned to another command.
  ///
  /// The command that had it still has other keys.
  package struct MovedKey: Hashable, Sendable {
    package var keys: KeySequence
    package var from: Command
    package var to: Command
  }

  /// The meaning of the keys typed so far.
  package enum Match: Hashable, Sendable {
    case command(Command)
    /// The beginning of a longer sequence.
    case prefix
    case none
  }

  private var bindings: [Command: [KeySequence]] = [:]
  /// The commands of a sequence, which differ in their places.
  private var table: [KeySequence: [Command]] = [:]
  private var prefixes: Set<[Key]> = []
  /// The problems with the overrides, in the order of the commands.
  package private(set) var problems: [Problem] = []
  /// The standard keys with a different meaning now, in the order of the commands.
  package private(set) var movedKeys: [MovedKey] = []

  /// The default keys.
  package static let standard = Keymap(overrides: [:])

  /// Letters that end the bytes of arrow, Home, End and focus sequences.
  static let unsafeLetters: Set<Character> = ["A", "B", "C", "D", "F", "H"]

  /// Creates a key map from the standard keys, with those of some commands replaced.
  ///
  /// - Parameter overrides: Command ids with their key sequences; an empty list unbinds a command.
  ///   Unknown ids are ignored; other errors are skipped and reported in `problems`.
  package init(overrides: [String: [String]]) {
    // The user's choices come first, so that defaults yield to them.
    let chosen = Command.all.filter { overrides[$0.id] != nil }
    for command in chosen { bind(command, overrides[command.id] ?? [], isChosen: true) }
    for command in Command.all where overrides[command.id] == nil {
      bind(command, command.defaultKeys, isChosen: false)
    }
    for command in Command.all where overrides[command.id] == nil {
      noteIfKeyless(command)
      noteMovedKeys(command)
    }
  }

  private mutating func noteMovedKeys(_ command: Command) {
    guard let own = bindings[command] else { return }
    for keys in command.defaultKeys.compactMap({ KeySequence($0) }) where !own.contains(keys) {
      guard case .conflict(_, let owner, _)? = obstacle(to: keys, for: command) else { continue }
      movedKeys.append(MovedKey(keys: keys, from: command, to: owner))
    }
  }

  private mutating func noteIfKeyless(_ command: Command) {
    guard bindings[command] == nil,
      let lost = command.defaultKeys.lazy.compactMap({ KeySequence($0) }).first
    else { return }
    let owner: Command? =
      switch obstacle(to: lost, for: command) {
      case .conflict(_, let kept, _)?: kept
      case .shadowed(_, let other, _)?: table[other]?.first { overlap($0, command) }
      case .unknownKey, .unsafeKey, .keyless, nil: nil
      }
    guard let owner else { return }
    problems.append(.keyless(command, lost: lost, to: owner, free: freeKey(for: command, lost)))
  }

  /// Finds a free key in the command's places.
  ///
  /// Tries the lost key in capitals, then the letters of the command's id, then any other.
  private func freeKey(for command: Command, _ lost: KeySequence) -> KeySequence? {
    let id = command.id
    let alphabet = "abcdefghijklmnopqrstuvwxyz"
    let letters = lost.description.uppercased() + id + id.uppercased() + alphabet
    return letters.lazy.filter(\.isLetter).compactMap { KeySequence(String($0)) }
      .first { obstacle(to: $0, for: command) == nil }
  }

  private mutating func bind(_ command: Command, _ spellings: [String], isChosen: Bool) {
    for spelling in spellings {
      guard let sequence = KeySequence(spelling) else {
        problems.append(.unknownKey(spelling, command: command))
        continue
      }
      if let problem = obstacle(to: sequence, for: command) {
        if isChosen { problems.append(problem) }
        continue
      }
      bindings[command, default: []].append(sequence)
      table[sequence, default: []].append(command)
      for count in 1..<max(1, sequence.keys.count) {
        prefixes.insert(Array(sequence.keys.prefix(count)))
      }
    }
  }

  private func obstacle(to sequence: KeySequence, for command: Command) -> Problem? {
    if command.changesItems, case .character(let letter)? = sequence.keys.last,
      Self.unsafeLetters.contains(letter)
    {
      return .unsafeKey(sequence, command)
    }
    if let other = table[sequence]?.first(where: { overlap($0, command) }) {
      return .conflict(sequence, kept: other, refused: command)
    }
    for (other, commands) in table where other != sequence {
      let shorter = min(other.keys.count, sequence.keys.count)
      if other.keys.prefix(shorter) == sequence.keys.prefix(shorter),
        commands.contains(where: { overlap($0, command) })
      {
        return .shadowed(sequence, by: other, command: command)
      }
    }
    return nil
  }

  private func overlap(_ left: Command, _ right: Command) -> Bool {
    !left.places.isDisjoint(with: right.places)
  }

  /// Returns the keys of a command, the one to show first.
  package func sequences(of command: Command) -> [KeySequence] { bindings[command] ?? [] }

  /// Looks up `keys` in a place.
  package func match(_ keys: [Key], in place: CommandScope) -> Match {
    if let commands = table[KeySequence(keys: keys)],
      let command = commands.first(where: { $0.places.contains(place) })
    {
      return .command(command)
    }
    return prefixes.contains(keys) ? .prefix : .none
  }
}

extension KeySequence {
  init(keys: [Key]) { self.keys = keys }
}
