internal import Dispatch
internal import Glibc

/// Calls back on signals to the process, instead of what they do by themselves.
final class ProcessSignals {
  private let sources: [any DispatchSourceSignal]

  /// Those that ask a process to end.
  static let termination = [SIGTERM, SIGINT]
  /// The one that asks a service to read its files again.
  static let reload = [SIGHUP]

  /// Until the value is cancelled, the signals call `ask` and do nothing else.
  init(_ numbers: [Int32], ask: @escaping @Sendable () -> Void) {
    sources = numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { @Sendable in ask() }
      source.resume()
      return source
    }
  }

  /// Stops listening. The signals stay ignored: the process is about to end by itself.
  func cancel() {
    for source in sources { source.cancel() }
  }
}
