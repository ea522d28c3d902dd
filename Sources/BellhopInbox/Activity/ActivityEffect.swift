package import BellhopModel
package import BellhopText

/// A request for devices or activity.
package enum ActivityEffect: Hashable, Sendable {
  /// Requests the user's devices from the stores of one account, or of all; may take long.
  case loadDevices(serial: Int, of: AccountName?)
  /// Signs a device out, reports the outcome, and requests the devices again.
  case revokeDevice(DeviceSummary, serial: Int, of: AccountName?)
  /// Counts the arrivals of the last hours, and reports the state of synchronisation.
  case loadActivity(serial: Int, hours: Int, of: AccountName?)
}

/// The answer to an ``ActivityEffect``.
package enum ActivityAnswer: Sendable {
  /// The devices that the stores returned, and the reason why some may be missing.
  case devices(serial: Int, [DeviceSummary], problem: SafeText?)
  case report(serial: Int, ActivityReport)
}

extension InboxState {
  mutating func take(_ answer: ActivityAnswer) {
    switch answer {
    case .devices(let serial, let devices, let problem):
      accept(devices, problem: problem, serial: serial)
    case .report(let serial, let report): accept(report, serial: serial)
    }
  }
}
