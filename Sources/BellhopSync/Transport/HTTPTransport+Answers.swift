import AsyncHTTPClient
package import BellhopCache
import BellhopModel
package import BellhopNetwork
package import BellhopWire
import NIOCore

extension PullAnswer {
  /// Creates the answer to `request` from a payload.
  ///
  /// A delta with further pages continues with its page's token in place of a delta token, which a
  /// store accepts. The token is positioned after the last row of the page.
  package init(_ payload: DeltaPayload, to request: ChangeChunk.Request) {
    let end: ChangeChunk.End
    switch (request, payload.end) {
    case (.delta, .complete(let token)):
      end = .delta(token, at: payload.sequence, isCaughtUp: true)
    case (.delta, .next(let page)):
      let last = payload.changes.map(\.sequence).max() ?? .zero
      end = .delta(DeltaToken(page), at: last, isCaughtUp: false)
    case (.page(let cursor), .next(let page)):
      // Paging began at the first page, so only the sequence of that page is the one of the start.
      end = .page(
        next: PageCursor(page), start: payload.started ?? DeltaToken(page),
        startSequence: cursor == nil ? payload.sequence : .zero)
    case (.page(let cursor), .complete(let token)):
      end = .page(
        next: nil, start: payload.started ?? token,
        startSequence: cursor == nil ? payload.sequence : .zero)
    }
    self.init(
      changes: payload.changes, end: end, epoch: payload.epoch,
      validThrough: payload.validThrough, readAt: payload.sequence, itemCount: payload.itemCount)
  }
}

extension Route {
  /// Whether a 404 from the route means that the store does not know the device.
  fileprivate var isOfDevice: Bool {
    switch self {
    case .operations, .device, .deviceGrant: true
    case .notifications, .notification, .response, .delta, .deltaSince, .deltaPage, .signal,
      .devices,
      .deviceAuthorization, .token, .signInPage, .authorizationServer, .accessTokens, .accessToken,
      .requests, .subscriptions, .subscription, .attachments, .apps, .app, .categories, .category,
      .health,
      .resourceMetadata, .topic:
      false
    }
  }
}

extension TransportError {
  /// Creates the error for a failure status of a call.
  package init(status: Int, payload: ErrorPayload?, retryAfter: Duration?, route: Route) {
    let message = payload.map { String($0.message.prefix(512)) } ?? "no reason given"
    switch (status, payload?.code) {
    case (401, _): self = payload?.revocation.map { .revoked($0) } ?? .unauthorized
    case (403, _): self = .forbidden(message)
    case (404, _) where route.isOfDevice: self = .unknownDevice
    case (408, _): self = .timedOut
    case (409, .outboxDiverged?): self = .outboxDiverged
    case (409, .outboxGap?): self = .outOfOrder(expected: payload?.expectedSequence ?? 1)
    case (410, _): self = .resyncRequired
    case (429, _): self = .throttled(retryAfter: retryAfter)
    case (503, _) where retryAfter != nil: self = .throttled(retryAfter: retryAfter)
    case (300..<400, _):
      self = .badAnswer("it redirects to another address; check the address of the store")
    default: self = .server(status: status, message: message)  // open: (Int, ErrorCode?)
    }
  }

  /// Creates the error for a failure below HTTP, or in reading an answer.
  ///
  /// - Parameters:
  ///   - peer: The peer that the request went to.
  ///   - authorityFile: The file of certificates that are trusted in addition to the system's.
  package init(
    transportFailure error: any Error, at peer: NetworkPeer, authorityFile: String? = nil
  ) {
    switch error {
    case let error as TransportError: self = error
    case is CancellationError: self = .cancelled
    case let error as HTTPClientError where error == .cancelled: self = .cancelled
    case let error as WireError: self = .badAnswer(error.description.clause)
    case is EventStreamParser.LimitError: self = .badAnswer("a signal is too long")
    case is NIOTooManyBytesError: self = .badAnswer("it is too large")
    default:  // open: any Error
      switch NetworkError(error, at: peer, authorityFile: authorityFile) {
      case .timedOut: self = .timedOut
      case let failure: self = .offline(failure)
      }
    }
  }
}

extension HTTPTransport {
  /// The time limit for inspecting a certificate of the store that was refused.
  private static let inspectionLimit: Duration = .seconds(10)

  /// Returns the error for a failed request to the store.
  func explained(_ error: any Error) async -> TransportError {
    let failure = TransportError(
      transportFailure: error, at: peer, authorityFile: configuration.authorityFile)
    guard case .offline(let network) = failure, !Task.isCancelled else { return failure }
    return .offline(await network.diagnosed(now: localTime(), within: Self.inspectionLimit))
  }
}
