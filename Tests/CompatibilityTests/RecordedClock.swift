import BellhopCache
import BellhopModel
import BellhopSync
import BellhopWire

/// A transport for a recorded store, whose time is that of the recording.
///
/// The server that answers for the store writes the present into its `Date` headers. By that clock,
/// whatever was snoozed in the recording would be due one day.
struct RecordedClock: Transport {
  let base: HTTPTransport

  var clockOffset: Duration? { .zero }

  func pull(_ request: ChangeChunk.Request) async throws(TransportError) -> PullAnswer {
    try await base.pull(request)
  }

  func send(_ batch: OutboxBatch) async throws(TransportError) -> SendAnswer {
    try await base.send(batch)
  }

  func signals() -> AsyncThrowingStream<SignalEvent, any Error> { base.signals() }

  func registerDevice(channel: ChannelType) async throws(TransportError) -> Author {
    try await base.registerDevice(channel: channel)
  }

  func publish(
    _ content: Content, idempotencyKey: String?
  ) async throws(TransportError) -> PublishedItem {
    try await base.publish(content, idempotencyKey: idempotencyKey)
  }

  func settle() async { await base.settle() }

  func reconnect() { base.reconnect() }
}
