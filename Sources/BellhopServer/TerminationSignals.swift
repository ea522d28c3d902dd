internal import Dispatch
internal import Glibc

/// Calls back when the process is asked to end, instead of ending it.
final class TerminationSignals {
  private let sources: [any DispatchSourceSignal]

  /// Until the value is cancelled, SIGTERM and SIGINT call `ask` and do nothing else.
  init(ask: @escaping @Sendable () -> Void) {
    sources = [SIGTERM, SIGINT].map { number in
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
