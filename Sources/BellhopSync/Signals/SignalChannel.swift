import AsyncHTTPClient
import BellhopCache
import BellhopModel
package import BellhopWire
import NIOCore
import NIOHTTP1

/// The store's stream of signals (SYNC-15), read event by event.
///
/// One task reads it. Cancelling that task ends the request, as does dropping the channel.
///
/// `@unchecked Sendable`: only the stream of ``HTTPTransport/signals()`` holds it, and every reader
/// of signals opens a stream of its own and iterates it in one task. That task awaits an event
/// before it requests the next, so that no two calls of ``next()`` overlap.
final class SignalChannel: @unchecked Sendable {
  private enum Stage {
    case unopened
    case open(HTTPClientResponse.Body.AsyncIterator)
    case ended
  }

  private let transport: HTTPTransport
  private var stage = Stage.unopened
  private var parser = EventStreamParser()
  /// Events that arrived together with those that were already returned.
  private var pending: ArraySlice<SignalEvent> = []

  init(_ transport: HTTPTransport) {
    self.transport = transport
  }

  /// Returns the next event, or nil if the store has ended the stream.
  ///
  /// - Throws: ``TransportError``, once; after that the stream is over.
  func next() async throws -> SignalEvent? {
    do {
      while pending.isEmpty {
        switch stage {
        case .unopened:
          stage = .open(try await open())
          return .opened
        case .open(var iterator):
          guard let bytes = try await iterator.next() else {
            stage = .ended
            return nil
          }
          stage = .open(iterator)
          pending = try events(in: parser.feed(bytes.readableBytesView))[...]
        case .ended: return nil
        }
      }
      return pending.popFirst()
    } catch {
      stage = .ended
      pending = []
      throw await transport.explained(error)
    }
  }

  private func open() async throws -> HTTPClientResponse.Body.AsyncIterator {
    var request = transport.request(.GET, .signal)
    request.headers.add(name: "Accept", value: "text/event-stream")
    let response = try await transport.performSignedIn(request, .signal, within: nil)
    guard response.status == .ok else { throw try await transport.failure(response, of: .signal) }
    return response.body.makeAsyncIterator()
  }

  /// Converts the items of a stream to events. A revocation is the last item of a stream.
  private func events(in parts: [EventStreamParser.Item]) throws -> [SignalEvent] {
    var events: [SignalEvent] = []
    for part in parts {
      switch part {
      case .comment: events.append(.heartbeat)
      case .retry(let delay): events.append(.reconnect(after: delay))
      case .event(SignalPayload.event, let data):
        let signal = try WireJSON.decode(SignalPayload.self, from: Array(data.utf8))
        let enclosed = signal.resourceData.flatMap(EnclosedDelta.init)
        events.append(.changed(signal.epoch, signal.sequence, enclosed))
      case .event(RevocationPayload.event, let data):
        throw TransportError.revoked(
          try WireJSON.decode(RevocationPayload.self, from: Array(data.utf8)))
      case .event: break
      }
    }
    return events
  }
}

extension EnclosedDelta {
  /// Returns nil for an incomplete delta, which no store sends.
  package init?(_ payload: SignalPayload.ResourceData) {
    guard case .complete = payload.delta.end else { return nil }
    self.init(
      since: payload.since,
      answer: PullAnswer(payload.delta, to: .delta(since: payload.since)))
  }
}
