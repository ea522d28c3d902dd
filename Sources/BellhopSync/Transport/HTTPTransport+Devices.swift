import AsyncHTTPClient
package import BellhopModel
package import BellhopWire
import NIOCore
import NIOHTTP1

/// This device's registration, and the user's other devices.
extension HTTPTransport {
  /// Renews the registration, which keeps the name that the store knows; a device that the store
  /// does not know, or knows by another token, registers.
  package func registerDevice(channel: ChannelType) async throws(TransportError) -> Author {
    let body = try Self.encoded(DevicePatchPayload(channel: channel))
    do throws(TransportError) {
      let device = try await exchange(
        DevicePayload.self, .PATCH, .device(configuration.device), body: body)
      return Author(kind: .device, id: device.id.rawValue, name: device.name)
    } catch {
      guard error.mayNeedRegistration else { throw error }
      return try await registerAnew(channel: channel)
    }
  }

  /// Registers this device under its configured name, as when somebody signs in.
  package func registerAnew(channel: ChannelType) async throws(TransportError) -> Author {
    let body = DeviceRegistrationPayload(
      id: configuration.device, name: configuration.deviceName, platform: configuration.platform,
      channel: channel)
    let device = try await exchange(
      DevicePayload.self, .POST, .devices, body: try Self.encoded(body))
    return Author(kind: .device, id: device.id.rawValue, name: device.name)
  }

  /// The user's devices, this one among them.
  package func devices() async throws(TransportError) -> [DevicePayload] {
    try await exchange(DeviceListPayload.self, .GET, .devices).value
  }

  /// Changes what other devices call this one.
  package func renameDevice(_ name: String) async throws(TransportError) {
    _ = try await exchange(
      DevicePayload.self, .PATCH, .device(configuration.device),
      body: try Self.encoded(DevicePatchPayload(name: name)))
  }

  /// Signs a device out, for good: its token holds no longer.
  package func revokeDevice(_ id: DeviceID) async throws(TransportError) {
    try await perform(.DELETE, .device(id))
  }

  /// The device that waits with this code.
  ///
  /// - Throws: ``TransportError/unknownDevice`` when none does.
  package func deviceGrant(_ code: String) async throws(TransportError) -> DeviceGrantPayload {
    try await exchange(DeviceGrantPayload.self, .GET, .deviceGrant(code))
  }

  /// Lets the device that waits with this code in, or turns it away.
  ///
  /// - Throws: ``TransportError/unknownDevice`` when none waits.
  package func decide(
    _ code: String, _ decision: DeviceGrantDecisionPayload.Decision
  ) async throws(TransportError) -> DeviceGrantPayload {
    try await exchange(
      DeviceGrantPayload.self, .POST, .deviceGrant(code),
      body: try Self.encoded(DeviceGrantDecisionPayload(decision)))
  }
}
