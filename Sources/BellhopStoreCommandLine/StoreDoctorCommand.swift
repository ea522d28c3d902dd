internal import ArgumentParser
internal import BellhopServer

struct StoreDoctorCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the place of the data and its surroundings, and say how to fix problems.",
    discussion: """
      Prints one finding per line: ok, note, warning or problem. In a database it checks version, \
      rights, replication, clock, dead rows, tables and indexes, free connections, poolers and the \
      password file. It changes nothing. Exit codes: 0 no problem, 78 at least one.

      Examples:
        bellhopd doctor
        bellhopd doctor --database postgres://db.example.com/bellhop
      """)
  @OptionGroup var data: DataOptions

  func perform() async throws {
    let settings = try data.settings()
    let findings = try await data.place().findings(settings)
    for finding in findings { Output.line("\(finding.grade.rawValue): \(finding.text)") }
    guard findings.allSatisfy({ $0.grade != .problem }) else {
      throw ProgramError(
        exitCode: 78, message: "The store has problems, which are listed above.")
    }
  }
}

/// A result of `bellhopd doctor`.
struct Finding: Hashable, Sendable {
  enum Grade: String, Sendable {
    case ok
    /// A fact that the program could not check.
    case note
    case warning
    /// A fact with which the store does not work, or may lose data.
    case problem
  }

  var grade: Grade
  /// A sentence, which says what to do about a problem.
  var text: String

  init(_ grade: Grade, _ text: String) {
    self.grade = grade
    self.text = text
  }

  /// Creates the finding that a store was moved, or that a move has begun.
  ///
  /// - Parameters:
  ///   - target: The new place.
  ///   - place: The value of `--from` for the place where the store was.
  static func moved(to target: String, from place: String) -> Finding {
    Finding(
      .problem,
      "The store was moved to \(target), or a move there was interrupted, so it does not start here. "
        + "Use it there, or run the move again. To start it here again, without what changed there, "
        + "run: bellhopd migrate --from \(place) --revive")
  }
}
