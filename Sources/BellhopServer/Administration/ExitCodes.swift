package import BellhopStore

/// The exit codes of `bellhopd`, which are those of `bellhop` (sysexits.h).
///
/// A refusal has the same code whether the command runs in its own process or through the admin
/// socket.
extension StoreError {
  package var exitCode: Int32 {
    switch self {
    case .notFound: 66
    case .busy, .tooManyLists, .tooManyStreams, .tooManyRequests, .inUse: 75
    case .newerSchema, .moved, .unfinishedCopy: 78
    case .storageFull, .outcomeUnknown, .unavailable: 74
    case .accessDenied, .unauthenticated, .revoked, .tooManySubscriptions: 77
    case .invalid, .alreadyExists, .modified, .idempotencyConflict, .resyncRequired, .outboxGap,
      .outboxDiverged, .notSupported, .quotaReached:
      65
    }
  }
}

extension AdminError {
  package var exitCode: Int32 {
    switch reason {
    case .notFound: 66
    case .badData: 65
    case .busy: 75
    case .notAllowed: 77
    case .storage: 74
    case .failed: 70
    }
  }
}

extension ServerError {
  package var exitCode: Int32 {
    switch self {
    case .addressInUse, .socketAnswers: 69
    case .notPermitted: 77
    case .notASocket, .pathTooLong, .cannotListen: 73
    case .badCertificate, .noCertificate, .exposedSecret, .tooFewOpenFiles: 78
    case .failed: 70
    }
  }
}
