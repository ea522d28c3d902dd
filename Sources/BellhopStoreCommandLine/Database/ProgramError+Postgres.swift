#if BELLHOP_POSTGRES
internal import BellhopStorePostgres

extension ProgramError {
  /// Converts an error of the database. The text names no secret.
  init(_ error: PostgresError) {
    self.init(exitCode: error.exitCode, message: error.log)
  }
}

extension PostgresError {
  /// The exit code of a command that fails with this error.
  var exitCode: Int32 {
    switch self {
    case .invalidAddress, .secretInAddress: 64
    case .exposedPasswordFile, .unverifiedServer, .serverTooOld: 78
    case .accessDenied, .missingRight: 77
    case .diskFull, .outOfMemory, .failedTransaction, .refused, .unexpectedValue, .missingColumn,
      .missingRow:
      74
    case .unreachable, .connectionLost, .timedOut, .shuttingDown, .readOnly, .conflict,
      .lockTimeout, .tooManyConnections, .tooManyWaiting, .closed:
      75
    }
  }
}
#endif
