import BellhopCache
import BellhopKit
import BellhopModel
import BellhopNetwork
import BellhopOutbound
import BellhopSync
import BellhopTerminal
import BellhopWire

private let time = Timestamp(seconds: 1_800_000_000)
private let peer = NetworkPeer.port(443, host: "store.example.com", isEncrypted: true)
private let path = "/home/alice/.local/state/bellhop/accounts/home/cache.sqlite"

extension NetworkError: Sampled {
  static func sample(after last: NetworkError?) -> NetworkError? {
    switch last {
    case nil: .unknownHost("store.example.com")
    case .unknownHost: .namesUnavailable(host: "store.example.com")
    case .namesUnavailable: .noSocket(path: "/run/store.sock")
    case .noSocket: .socketPathTooLong(path: "/run/store.sock")
    case .socketPathTooLong: .refused(peer)
    case .refused: .noRoute(peer)
    case .noRoute: .notPermitted(.socket(path: "/run/store.sock"))
    case .notPermitted: .timedOut(peer)
    case .timedOut: .closed(peer)
    case .closed: .handshakeClosed(peer)
    case .handshakeClosed: .notTLS(peer)
    case .notTLS: .notHTTP(.port(80, host: "::1", isEncrypted: false))
    case .notHTTP: .oldTLS(peer)
    case .oldTLS: .tlsRefused(peer)
    case .tlsRefused: .untrustedCertificate(peer)
    case .untrustedCertificate: .expiredCertificate(peer, end: time)
    case .expiredCertificate: .earlyCertificate(peer, begin: time)
    case .earlyCertificate: .certificateOfOtherHost(peer)
    case .certificateOfOtherHost: .badAuthorityFile(path: "/etc/ca.pem")
    case .badAuthorityFile(.some): .badAuthorityFile(path: nil)
    case .badAuthorityFile(nil): .system(code: 24, peer)
    case .system: .unexpected(peer)
    case .unexpected: .reported("the store did not answer in time")
    case .reported: nil
    }
  }
}

extension TransportError: Sampled {
  static func sample(after last: TransportError?) -> TransportError? {
    switch last {
    case nil: .offline(.refused(peer))
    case .offline: .timedOut
    case .timedOut: .unauthorized
    case .unauthorized: .signInEnded
    case .signInEnded: .revoked(RevocationPayload(at: time, by: "laptop"))
    case .revoked(let revocation):
      revocation.by == nil
        ? .forbidden("The token is not a device's.") : .revoked(.init(at: time, by: nil))
    case .forbidden: .resyncRequired
    case .resyncRequired: .outOfOrder(expected: 7)
    case .outOfOrder: .outboxDiverged
    case .outboxDiverged: .throttled(retryAfter: .seconds(7))
    case .throttled(.some): .throttled(retryAfter: nil)
    case .throttled(nil): .server(status: 400, message: "title is too long")
    case .server(let status, _):
      status == 400
        ? .server(status: 507, message: "The disk is full.")
        : .badAnswer(WireError.samples[0].description.clause)
    case .badAnswer: .unknownDevice
    case .unknownDevice: .badAddress("store")
    case .badAddress: .insecure(host: "store.example.com")
    case .insecure: .providerOffline(NetworkError.refused(peer).description)
    case .providerOffline: .provider("the identity provider's endpoints are not encrypted")
    case .provider: .cache(CacheError.full(path: path).description)
    case .cache: .cancelled
    case .cancelled: nil
    }
  }
}

extension CacheError: Sampled {
  static func sample(after last: CacheError?) -> CacheError? {
    switch last {
    case nil: .missing(path: path)
    case .missing: .newerSchema(path: path)
    case .newerSchema: .olderSchema(path: path)
    case .olderSchema: .corrupt(path: path, detail: "database disk image is malformed")
    case .corrupt: .otherAccount(path: path, found: AccountName("work"))
    case .otherAccount: .full(path: path)
    case .full: .io(path: path, detail: "disk I/O error, SQLite 266")
    case .io: .interrupted
    case .interrupted: nil
    }
  }
}

extension WireError: Sampled {
  static func sample(after last: WireError?) -> WireError? {
    switch last {
    case nil: .malformed(reason: "it is incomplete or has an unexpected character")
    case .malformed: .invalid(field: "", expectation: "a JSON object")
    case .invalid("", _): .invalid(field: "title", expectation: "a string")
    case .invalid: .tooDeep(limit: 64)
    case .tooDeep: nil
    }
  }
}

extension FeedError: Sampled {
  static func sample(after last: FeedError?) -> FeedError? {
    switch last {
    case nil: .notRunning
    case .notRunning: .noSuchNotification
    case .noSuchNotification: .offline(NetworkError.refused(peer).description)
    case .offline: .timedOut
    case .timedOut: .signInAgain(TransportError.unauthorized.description)
    case .signInAgain: .store(TransportError.forbidden("It is read-only.").description)
    case .store: .cache(CacheError.full(path: path).description)
    case .cache: .positionElsewhere
    case .positionElsewhere: .positionTooOld
    case .positionTooOld: nil
    }
  }
}

extension SignInError: Sampled {
  static func sample(after last: SignInError?) -> SignInError? {
    switch last {
    case nil: .denied
    case .denied: .expired
    case .expired: .refused("The code was used.")
    case .refused: nil
    }
  }
}

extension OutboundError: Sampled {
  static func sample(after last: OutboundError?) -> OutboundError? {
    switch last {
    case nil: .refusedAddress(.loopback)
    case .refusedAddress: .unconnected(.unknownHost("ci.example.com"))
    case .unconnected: .tooSlow
    case .tooSlow: .tooLarge
    case .tooLarge: .brokenAnswer(.closed(peer))
    case .brokenAnswer: .cancelled
    case .cancelled: nil
    }
  }
}

extension TerminalError: Sampled {
  static func sample(after last: TerminalError?) -> TerminalError? {
    switch last {
    case nil: .notATerminal
    case .notATerminal: .alreadyOpen
    case .alreadyOpen: .noDescription(term: "vt9000")
    case .noDescription: .dumb
    case .dumb: .system(code: 24)
    case .system: .closed
    case .closed: nil
    }
  }
}
