package import BellhopModel
package import BellhopWire

extension HTTPTransport {
  /// The longest wait of one request, in seconds: shorter than its time limit.
  private static let responseWait = 20

  /// Returns the answer to an item that this device published; nil if there is none yet.
  ///
  /// Waits a while for it. Call it again to wait longer.
  package func response(
    to item: NotificationID
  ) async throws(TransportError) -> ResponsePayload? {
    try await optional(ResponsePayload.self, .response(item, wait: Self.responseWait))
  }
}
