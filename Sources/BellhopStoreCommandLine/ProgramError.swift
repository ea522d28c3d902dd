internal import ArgumentParser
internal import BellhopModel
internal import BellhopServer
internal import BellhopStore

/// The reason why a command stopped: a line for the user and an exit code of `sysexits.h`.
struct ProgramError: Error {
  var exitCode: Int32
  var message: String

  static func usage(_ message: String) -> ProgramError {
    ProgramError(exitCode: 64, message: message)
  }
  static func badData(_ message: String) -> ProgramError {
    ProgramError(exitCode: 65, message: message)
  }

  /// Converts any error of a command.
  init(_ error: any Error) {
    switch error {
    case let error as ProgramError: self = error
    case let error as StoreError:
      self.init(exitCode: error.exitCode, message: error.description.sentence)
    case let refusal as AdminError:
      self.init(exitCode: refusal.exitCode, message: refusal.description.sentence)
    case let error as ServerError:
      self.init(exitCode: error.exitCode, message: error.description)
    default: self.init(exitCode: 70, message: error.explanation)  // open: any Error
    }
  }

  init(exitCode: Int32, message: String) {
    self.exitCode = exitCode
    self.message = message
  }

  /// Runs a command's work. Reports an error on standard error and ends with its exit code.
  static func reporting(_ work: () async throws -> Void) async throws {
    do {
      try await work()
    } catch let exit as ExitCode {
      throw exit
    } catch {
      let failure = ProgramError(error)
      for line in failure.message.split(separator: "\n") { Output.error("bellhopd: " + line) }
      throw ExitCode(failure.exitCode)
    }
  }
}
