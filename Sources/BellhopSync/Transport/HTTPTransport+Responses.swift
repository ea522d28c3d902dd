package import BellhopModel
package import BellhopWire

extension HTTPTransport {
  /// The longest wait of one request, in seconds: shorter than its time limit.
  private static let responseWaitMax = 20

  /// Returns the answer to an item that this device published; nil if there is none yet.
  ///
  /// Waits a while for it, at most for the given time. Call it again to wait longer.
  package func response(
    to item: NotificationID, within limit: Duration?
  ) async throws(TransportError) -> ResponsePayload? {
    let seconds = limit.map { Int(clamping: $0.components.seconds + 1) }
    let wait = min(seconds ?? Self.responseWaitMax, Self.responseWaitMax)
    return try await optional(ResponsePayload.self, .response(item, wait: wait))
  }
}
