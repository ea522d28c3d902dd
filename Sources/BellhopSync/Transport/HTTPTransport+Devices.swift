import AsyncHTTPClient
package import BellhopModel
package import BellhopWire
import NIOCore
import NIOHTTP1

/// The registration of this device, and the user's other devices.
extension HTTPTransport {
  /// Renews the registration in the configured environment, which keeps the name that the store
  /// knows.
  ///
  /// Registers the device instead if the store does not know it, or knows it by another token.
  package func registerDevice(channel: ChannelType) async throws(TransportError) -> Author {
    let body = try Self.encoded(
      DevicePatchPayload(channel: channel, environment: configuration.environment))
    do throws(TransportError) {
      let device = try await exchange(
        DevicePayload.self, .PATCH, .device(configuration.device), body: body)
      return Author(kind: .device, id: device.id.rawValue, name: device.name)
    } catch {
      guard error.mayNeedRegistration else { throw error }
      return try await registerAsNew(channel: channel)
    }
  }

  /// Registers this device under its configured name, as when a user signs in.
  package func registerAsNew(channel: ChannelType) async throws(TransportError) -> Author {
    let body = DeviceRegistrationPayload(
      id: configuration.device, name: configuration.deviceName, platform: configuration.platform,
      channel: channel, environment: configuration.environment.written)
    let device = try await exchange(
      DevicePayload.self, .POST, .devices, body: try Self.encoded(body))
    return Author(kind: .device, id: device.id.rawValue, name: device.name)
  }

  /// Returns the user's devices, including this one.
  package func devices() async throws(TransportError) -> [DevicePayload] {
    try await exchange(DeviceListPayload.self, .GET, .devices).value
  }

  /// Changes the name of this device that other devices show.
  package func renameDevice(_ name: String) async throws(TransportError) {
    _ = try await exchange(
      DevicePayload.self, .PATCH, .device(configuration.device),
      body: try Self.encoded(DevicePatchPayload(name: name)))
  }

  /// Signs a device out permanently: its token is no longer valid.
  package func revokeDevice(_ id: DeviceID) async throws(TransportError) {
    try await perform(.DELETE, .device(id))
  }

  /// Returns the device that waits with this code.
  ///
  /// - Throws: ``TransportError/unknownDevice`` if there is none.
  package func deviceGrant(_ code: String) async throws(TransportError) -> DeviceGrantPayload {
    try await exchange(DeviceGrantPayload.self, .GET, .deviceGrant(code))
  }

  /// Approves or denies the device that waits with this code.
  ///
  /// - Throws: ``TransportError/unknownDevice`` if no device waits.
  package func decide(
    _ code: String, _ decision: DeviceGrantDecisionPayload.Decision
  ) async throws(TransportError) -> DeviceGrantPayload {
    try await exchange(
      DeviceGrantPayload.self, .POST, .deviceGrant(code),
      body: try Self.encoded(DeviceGrantDecisionPayload(decision)))
  }
}
