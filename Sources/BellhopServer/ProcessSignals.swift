internal import UnixSignals

/// Calls back on signals to the process, instead of what they do by themselves.
final class ProcessSignals: Sendable {
  private let listening: Task<Void, Never>

  /// Those that ask a process to end.
  static let termination: [UnixSignal] = [.sigterm, .sigint]
  /// The one that asks a service to read its files again.
  static let reload: [UnixSignal] = [.sighup]

  /// From when it returns until the value is cancelled, the signals call `ask` and do nothing else.
  init(_ signals: [UnixSignal], ask: @escaping @Sendable () -> Void) async {
    let arriving = await UnixSignalsSequence(trapping: signals)
    listening = Task {
      for await _ in arriving { ask() }
    }
  }

  /// Stops listening. The signals stay ignored: the process is about to end by itself.
  func cancel() { listening.cancel() }
}
