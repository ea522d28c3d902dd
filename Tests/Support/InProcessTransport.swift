package import BellhopCache
package import BellhopModel
import BellhopSimulation
package import BellhopStore
package import BellhopSync
package import BellhopWire

/// A transport to a store in the same process: the real service, no network.
package struct InProcessTransport: Transport {
  private let service: StoreService
  private let principal: AccessTokenID
  private let user: UserID
  private let device: DeviceID

  /// Uses a new device token of `user` on `service`.
  package init(service: StoreService, user: UserID, device: DeviceID) async throws {
    self.service = service
    self.user = user
    self.device = device
    principal = try await service.mintToken(
      named: device.rawValue, scope: .device(nil), for: user
    ).token.id
  }

  package var clockOffset: Duration? { .zero }

  package func pull(_ request: ChangeChunk.Request) async throws(TransportError) -> PullAnswer {
    try await answer { () async throws(StoreError) in
      let page = try await service.delta(from: DeltaStart(request), rows: 500, for: user)
      return PullAnswer(page, to: request)
    }
  }

  package func send(_ batch: OutboxBatch) async throws(TransportError) -> SendAnswer {
    try await answer { () async throws(StoreError) in
      let answer = try await service.apply(
        OperationBatch(
          device: device, lineage: batch.lineage, operations: batch.operations, token: principal),
        for: user)
      return SendAnswer(results: answer.results, sequence: answer.sequence)
    }
  }

  package func signals() -> AsyncThrowingStream<SignalEvent, any Error> {
    let (stream, continuation) = AsyncThrowingStream<SignalEvent, any Error>.makeStream()
    let task = Task {
      do {
        continuation.yield(.opened)
        for await signal in try await service.signals(
          for: user, excluding: device, enclosesChanges: true)
        {
          let enclosed = signal.enclosed.map { EnclosedDelta($0) }
          continuation.yield(.changed(signal.epoch, signal.sequence, enclosed))
        }
        continuation.finish()
      } catch {
        let refusal = error as? StoreError
        continuation.finish(throwing: refusal.map { TransportError($0) } ?? .cancelled)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  package func registerDevice(channel: ChannelType) async throws(TransportError) -> Author {
    let registration = DeviceRegistration(
      id: device, name: device.rawValue, platform: "linux",
      channel: channel == .signal ? .signal : .polling)
    return try await answer { () async throws(StoreError) in
      try await service.register(registration, with: principal, for: user).author
    }
  }

  package func publish(
    _ content: Content, idempotencyKey: String?
  ) async throws(TransportError) -> PublishedItem {
    try await answer { () async throws(StoreError) in
      let item = try await service.publish(PublishRequest(content), for: user).item
      return PublishedItem(id: item.id, shortNumber: item.shortNumber)
    }
  }

  private func answer<Value>(
    _ body: () async throws(StoreError) -> Value
  ) async throws(TransportError) -> Value {
    do throws(StoreError) {
      return try await body()
    } catch {
      throw TransportError(error)
    }
  }
}
