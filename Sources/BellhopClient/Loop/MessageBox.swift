internal import BellhopInbox
internal import Synchronization

/// Messages for the screen from other threads, in order.
///
/// Posting wakes the event loop out of its wait. ``Message/dataChanged`` is kept once, however often
/// it comes between two looks.
final class MessageBox: Sendable {
  private let messages = Mutex<[Message]>([])
  private let wake: @Sendable () -> Void

  /// - Parameter wake: ends the event loop's wait; may be called from any thread.
  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  func post(_ message: Message) {
    let isFirst = messages.withLock { messages in
      if case .dataChanged = message,
        messages.contains(where: { if case .dataChanged = $0 { true } else { false } })
      {
        return false
      }
      messages.append(message)
      return messages.count == 1
    }
    if isFirst { wake() }
  }

  /// Takes everything that was posted.
  func drain() -> [Message] {
    messages.withLock { messages in
      defer { messages.removeAll(keepingCapacity: true) }
      return messages
    }
  }
}
