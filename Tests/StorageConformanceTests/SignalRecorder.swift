import BellhopModel
import BellhopStore
import Synchronization

/// A receiver that keeps the signals of a stream.
final class SignalRecorder: SignalReceiver {
  private struct State {
    var signals: [Signal] = []
    var hasEnded = false
  }

  private let state = Mutex(State())

  var signals: [Signal] { state.withLock { $0.signals } }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }
  /// The sequences of the signals.
  var sequences: [Int64] { signals.map(\.sequence.rawValue) }

  func receive(_ signal: Signal) { state.withLock { $0.signals.append(signal) } }
  func signalsEnded() { state.withLock { $0.hasEnded = true } }
}
