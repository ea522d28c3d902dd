/// Something to be done outside, at once and without blocking the next message. Each kind of effect is
/// carried out in one place, and answered by messages of its own kind.
public enum Effect: Hashable, Sendable {
  /// Read the cache; ``CacheAnswer`` says what was found, and ``Message/readFailed(_:_:)`` that it
  /// cannot be read.
  case read(CacheRead)
  /// Read what may take its time; ``SlowAnswer`` follows.
  case slow(SlowRead)
  /// Append to the outbox, or take out of it; ``ChangeOutcome`` follows.
  case change(CacheChange)
  /// Reach beyond the store for an item; ``ItemOutcome`` follows.
  case item(ItemEffect)
  /// Work on the file of an attachment; ``AttachmentProgress`` follows.
  case attachment(AttachmentEffect)
  /// Ask about devices and activity; ``ActivityAnswer`` follows.
  case activity(ActivityEffect)
  case store(StoreEffect)
  /// Write down for the next start.
  case remember(Remembered)
  /// Work of the terminal, and of the loop that reads it; ``TerminalReport`` follows where it says so.
  case terminal(TerminalEffect)
}
