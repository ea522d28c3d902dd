internal import BellhopInbox
internal import Dispatch
internal import Synchronization

/// A runner that has pictures drawn for the screen, beside the event loop.
final class PictureRunner: Sendable {
  private let program: PictureProgram
  private let box: MessageQueue
  private let queue = DispatchQueue(label: "bellhop.pictures")
  private let state = Mutex(State())

  private struct State {
    var cancelled: Set<Int> = []
    var isStopped = false
  }

  init(_ program: PictureProgram, box: MessageQueue) {
    self.program = program
    self.box = box
  }

  func start(_ order: PictureOrder) {
    queue.async { [self] in
      let outcome = program.draw(order) {
        state.withLock { $0.isStopped || $0.cancelled.contains(order.serial) }
      }
      _ = state.withLock { $0.cancelled.remove(order.serial) }
      box.post(.attachment(.pictureDrawn(serial: order.serial, outcome)))
    }
  }

  func cancel(serial: Int) { _ = state.withLock { $0.cancelled.insert(serial) } }

  /// Cancels the current picture and waits for its end.
  func stop() {
    state.withLock { $0.isStopped = true }
    queue.sync {}
  }
}
