import BellhopIdentity
import BellhopModel
import BellhopNetwork
import BellhopStore

@testable import BellhopServer

extension StoreError: Sampled {
  static func sample(after last: StoreError?) -> StoreError? {
    switch last {
    case nil: .invalid(field: "title", expectation: "at most 256 bytes")
    case .invalid: .unauthenticated(reason: "the access token is unknown")
    case .unauthenticated: .revoked(Revocation(at: Timestamp(seconds: 1)))
    case .revoked: .accessDenied(reason: "this token may only publish")
    case .accessDenied: .notFound(what: "user")
    case .notFound: .alreadyExists(what: "user")
    case .alreadyExists: .modified(current: SequenceNumber(7))
    case .modified: .idempotencyConflict
    case .idempotencyConflict: .resyncRequired(reason: "the token is too old")
    case .resyncRequired: .outboxGap(expected: 7)
    case .outboxGap: .outboxDiverged
    case .outboxDiverged: .notSupported(what: "$expand")
    case .notSupported: .busy
    case .busy: .tooManyStreams
    case .tooManyStreams: .tooManyLists
    case .tooManyLists: .tooManySubscriptions(max: 10)
    case .tooManySubscriptions: .quotaReached(what: "1000 items of an app")
    case .quotaReached: .tooManyRequests(retryAfter: .seconds(7))
    case .tooManyRequests: .storageFull
    case .storageFull: .newerSchema
    case .newerSchema: .moved(target: "postgres://db/bellhop")
    case .moved: .unfinishedCopy
    case .unfinishedCopy: .inUse(processes: 1)
    case .inUse: .outcomeUnknown
    case .outcomeUnknown: .unavailable(reason: "the database file is damaged")
    case .unavailable: nil
    }
  }
}

extension ServerError: Sampled {
  static func sample(after last: ServerError?) -> ServerError? {
    switch last {
    case nil: .addressInUse("http://127.0.0.1:8642")
    case .addressInUse: .socketAnswers(path: "/run/store.sock")
    case .socketAnswers: .notPermitted("http://127.0.0.1:80")
    case .notPermitted: .notASocket(path: "/run/store.sock")
    case .notASocket: .pathTooLong(path: "/run/store.sock", bytesMax: 107)
    case .pathTooLong: .badCertificate(path: "/etc/chain.pem", reason: "expected a PEM certificate")
    case .badCertificate: .noCertificate("https://0.0.0.0:8443")
    case .noCertificate: .cannotListen("http://127.0.0.1:80", reason: "too many open files")
    case .cannotListen: .exposedSecret(path: "/etc/key.pem")
    case .exposedSecret: .tooFewOpenFiles(limit: 16, needed: 64)
    case .tooFewOpenFiles: .failed(reason: "the look-up of a name failed")
    case .failed: nil
    }
  }
}

extension ProviderError: Sampled {
  static func sample(after last: ProviderError?) -> ProviderError? {
    switch last {
    case nil: .unreachable(NetworkError.unknownHost("login.example.com").description)
    case .unreachable: .badAnswer("it is longer than 65536 bytes")
    case .badAnswer: nil
    }
  }
}

extension AdminError: Sampled {
  static func sample(after last: AdminError?) -> AdminError? {
    switch last?.reason {
    case nil: AdminError(.notFound, "There is no such user.")
    case .notFound: AdminError(.badData, "name is wrong: expected 1 to 64 characters.")
    case .badData: AdminError(.busy, "too many requests are waiting; try again in a second")
    case .busy: AdminError(.notAllowed, "Not allowed: this token may only publish.")
    case .notAllowed: AdminError(.storage, "the store's disk is full")
    case .storage: AdminError(status: 500, body: [])
    case .failed: nil
    }
  }
}
