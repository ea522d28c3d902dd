public import BellhopModel

/// A question about devices and activity.
public enum ActivityEffect: Hashable, Sendable {
  /// Ask the stores of one account, or of all, for the person's devices; that may take its time.
  case loadDevices(serial: Int, of: AccountName?)
  /// Sign a device out, say what came of it, and ask for the devices again.
  case revokeDevice(DeviceSummary, serial: Int, of: AccountName?)
  /// Count what came in the last hours, and tell how synchronisation goes.
  case loadActivity(serial: Int, hours: Int, of: AccountName?)
}
