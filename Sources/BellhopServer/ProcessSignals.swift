internal import UnixSignals

/// Callbacks for signals to the process, which replace the signals' default actions.
final class ProcessSignals: Sendable {
  private let listening: Task<Void, Never>

  /// The signals that request the process to end.
  static let termination: [UnixSignal] = [.sigterm, .sigint]
  /// The signal that requests a service to reload its files.
  static let reload: [UnixSignal] = [.sighup]

  /// Calls `ask` for each of the signals, from when this returns until ``cancel()``.
  init(_ signals: [UnixSignal], ask: @escaping @Sendable () -> Void) async {
    let arriving = await UnixSignalsSequence(trapping: signals)
    listening = Task {
      for await _ in arriving { ask() }
    }
  }

  /// Stops listening. The signals stay ignored, because the process is about to end.
  func cancel() { listening.cancel() }
}
