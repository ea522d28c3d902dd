internal import Synchronization

/// The connection of a service to the other processes over its storage.
final class PeerLink: Sendable {
  private struct State {
    var life: DataLife
    /// Whether a message has come since the last regular comparison.
    var hasMessage = false
  }

  let channel: any PeerChannel
  /// A stream that signals possible losses of messages. It has one reader.
  let losses: AsyncStream<Void>
  private let lossSource: AsyncStream<Void>.Continuation
  private let state: Mutex<State>

  init(_ channel: any PeerChannel, life: DataLife) {
    self.channel = channel
    state = Mutex(State(life: life))
    (losses, lossSource) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Requests a comparison of the open streams with the storage.
  func noteLoss() { lossSource.yield() }

  /// Records that a message has come.
  ///
  /// - Parameter life: The life of its data; nil for a message that names none.
  /// - Returns: Whether its sequence can be compared with those that this process knows.
  func note(messageIn life: DataLife?) -> Bool {
    state.withLock { state in
      state.hasMessage = true
      return life == nil || life == state.life
    }
  }

  /// Returns whether a message has come since the last call.
  func takeMessages() -> Bool {
    state.withLock { state in
      defer { state.hasMessage = false }
      return state.hasMessage
    }
  }

  /// Adopts the life of the data that a comparison has found.
  ///
  /// - Returns: Whether it is another one than before.
  func adopt(_ life: DataLife) -> Bool {
    state.withLock { state in
      defer { state.life = life }
      return state.life != life
    }
  }

  func close() async {
    lossSource.finish()
    await channel.close()
  }
}
