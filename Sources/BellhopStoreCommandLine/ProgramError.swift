internal import BellhopModel
internal import BellhopServer
internal import BellhopStore

#if BELLHOP_POSTGRES
  internal import BellhopStorePostgres
#endif

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
  /// The error of a backup into a file that exists.
  static func existingFile(_ file: String) -> ProgramError {
    ProgramError(
      exitCode: 73, message: "\(file) already exists. Nothing was written. Use --force.")
  }
  /// The error of a command that needs a store in an empty place.
  static func noStore(in place: String) -> ProgramError {
    ProgramError(exitCode: 66, message: "\(place) contains no store. Nothing was changed.")
  }
  /// The error of a backup in a format that this version does not know.
  static func newerBackup(_ file: String) -> ProgramError {
    ProgramError(
      exitCode: 78,
      message: "\(file) was written by a newer bellhopd. Nothing was changed. Use that version.")
  }
}

extension ProgramError {
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
    #if BELLHOP_POSTGRES
      case let error as PostgresError: self.init(error)
    #endif
    default: self.init(exitCode: 70, message: error.explanation)  // open: any Error
    }
  }
}
