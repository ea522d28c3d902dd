internal import CBellhopSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A source of events for when the machine wakes from sleep, or its clock is set.
///
/// Timers do not count the time asleep, so that a wait ends late by that time. This reports it at
/// once. No code runs meanwhile: the wait is a blocked thread.
package enum WakeMonitor {
  /// Returns a stream with an element for each event. Events that come together may be one element.
  ///
  /// The stream ends when its reader is cancelled. It has no element on systems that report
  /// nothing, and if no thread is left. Late timers must then suffice.
  package static func stream() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    let descriptor = bellhop_wake_open()
    guard descriptor >= 0 else { return stream }
    continuation.onTermination = { _ in bellhop_wake_end(descriptor) }
    let isStarted = startThread {
      while bellhop_wake_wait(descriptor) == 1 { continuation.yield() }
      continuation.onTermination = nil
      close(descriptor)
    }
    if !isStarted {
      continuation.onTermination = nil
      close(descriptor)
    }
    return stream
  }
}
