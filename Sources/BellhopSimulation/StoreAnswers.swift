package import BellhopCache
internal import BellhopModel
package import BellhopStore
package import BellhopSync
import BellhopWire

extension DeltaStart {
  /// Creates the start of the delta that a client requests.
  package init(_ request: ChangeChunk.Request) {
    switch request {
    case .page(nil): self = .beginning
    case .page(let cursor?): self = .page(PageToken(cursor.rawValue))
    case .delta(let token): self = .since(token)
    }
  }
}

extension PullAnswer {
  /// Creates the answer that a client receives for a page over HTTP.
  package init(_ page: DeltaPage, to request: ChangeChunk.Request) {
    let end: ChangeChunk.End
    switch (request, page.end) {
    case (.delta, .complete(let token)):
      end = .delta(token, at: page.sequence, isCaughtUp: true)
    case (.delta, .next(let next)):
      let last = page.changes.map(\.sequence).max() ?? .zero
      end = .delta(DeltaToken(next.rawValue), at: last, isCaughtUp: false)
    case (.page(let cursor), .next(let next)):
      end = .page(
        next: PageCursor(next.rawValue), start: page.started ?? DeltaToken(""),
        startSequence: cursor == nil ? page.sequence : .zero)
    case (.page(let cursor), .complete(let token)):
      end = .page(
        next: nil, start: page.started ?? token,
        startSequence: cursor == nil ? page.sequence : .zero)
    }
    self.init(
      changes: page.changes, end: end, epoch: page.epoch, validThrough: page.validThrough,
      readAt: page.sequence)
  }
}

extension EnclosedDelta {
  /// Creates the enclosed delta that a client receives with a signal.
  package init(_ enclosed: EnclosedChanges) {
    self.init(
      since: enclosed.since,
      answer: PullAnswer(enclosed.page, to: .delta(since: enclosed.since)))
  }
}

extension TransportError {
  /// Creates the error that a client receives for the store's error over HTTP.
  package init(_ error: StoreError) {
    switch error {
    case .unauthenticated: self = .unauthorized
    case .revoked(let revocation):
      self = .revoked(RevocationPayload(at: revocation.at, by: revocation.by))
    case .accessDenied(let reason): self = .forbidden(reason)
    case .notFound(let what):
      self = what == "device" ? .unknownDevice : .server(status: 404, message: what)
    case .resyncRequired: self = .resyncRequired
    case .outboxGap(let expected): self = .outOfOrder(expected: expected)
    case .outboxDiverged: self = .outboxDiverged
    case .busy, .tooManyLists: self = .throttled(retryAfter: .seconds(1))
    case .tooManyStreams: self = .throttled(retryAfter: .seconds(60))
    case .tooManyRequests(let wait): self = .throttled(retryAfter: wait)
    case .quotaReached: self = .server(status: 507, message: error.description)
    case .invalid, .alreadyExists, .modified, .idempotencyConflict, .notSupported,
      .tooManySubscriptions:
      self = .server(status: 400, message: error.description)
    case .storageFull, .newerSchema, .moved, .unfinishedCopy, .inUse, .outcomeUnknown,
      .unavailable:
      self = .server(status: 500, message: error.description)
    }
  }
}
