internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopTime
internal import CBellhopSystem
internal import Glibc

extension ServerEnvironment {
  /// Random request ids, the system's time, and the machine's time zones.
  static let live = ServerEnvironment(
    makeRequestID: {
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }, sleep: { try await Task.sleep(for: $0) }, wallClock: SystemZone.wallClock,
    random: { Double.random(in: 0..<1) },
    process: ProcessLabel(host: SystemName.host, number: getpid()))
}

extension StoreEnvironment {
  /// The system's clock and its secure random generator.
  static let live = StoreEnvironment(
    now: { SystemTime.now }, random: { UInt64.random(in: .min ... .max) },
    uptime: { SystemTime.uptime }, wallClock: SystemZone.wallClock,
    isClockSynchronized: { SystemTime.isSynchronized })
}

/// The system's clock.
enum SystemTime {
  /// The time since the machine's start, which no setting changes.
  ///
  /// It continues during suspend, so that the wall-clock time afterwards is plausible.
  static var uptime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Whether the kernel reports a synchronised clock that agrees with ``now``.
  static var isSynchronized: Bool {
    var milliseconds: Int64 = 0
    guard bellhop_clock_synchronized(&milliseconds) == 1 else { return false }
    let difference = Timestamp(milliseconds: milliseconds).duration(since: now)
    return difference < .seconds(60) && difference > .seconds(-60)
  }

  static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(
      milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}

/// The system's name.
enum SystemName {
  /// The name of this machine; empty if it has none.
  static var host: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
