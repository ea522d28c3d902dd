package import BellhopModel
package import BellhopText

/// A question about devices and activity.
package enum ActivityEffect: Hashable, Sendable {
  /// Ask the stores of one account, or of all, for the person's devices; that may take its time.
  case loadDevices(serial: Int, of: AccountName?)
  /// Sign a device out, say what came of it, and ask for the devices again.
  case revokeDevice(DeviceSummary, serial: Int, of: AccountName?)
  /// Count what came in the last hours, and tell how synchronisation goes.
  case loadActivity(serial: Int, hours: Int, of: AccountName?)
}

/// The answer to an ``ActivityEffect``.
package enum ActivityAnswer: Sendable {
  /// As many devices as a store told, and why there are not more.
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
