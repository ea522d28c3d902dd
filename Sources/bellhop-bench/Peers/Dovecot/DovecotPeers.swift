import Glibc

/// All envelopes to a new client, which keeps nothing.
final class DovecotFetch: Peer {
  private let dovecot: DovecotServer

  init(_ place: PeerPlace) throws { dovecot = try DovecotServer(place) }

  func measure(_: Void) throws -> FirstSyncFigures {
    let start = ContinuousClock().now
    let client = try dovecot.client()
    try client.select()
    let (_, first) = try client.fetchAll()
    return FirstSyncFigures(first: first - start, all: ContinuousClock().now - start)
  }

  func stop() { dovecot.stop() }
}

/// A mailbox opened again by a client that knows its earlier state: it is told the changed messages.
final class DovecotResync: Peer {
  private let dovecot: DovecotServer
  private let writer: IMAPClient
  private let reader: IMAPClient
  /// For which numbers of messages these carry a keyword now.
  private var flagged: Set<Int> = []

  init(_ place: PeerPlace) throws {
    dovecot = try DovecotServer(place)
    writer = try dovecot.client()
    try writer.select()
    reader = try dovecot.client()
  }

  func measure(_ work: DeltaWork) throws -> Samples {
    try reader.select()
    try reader.ask("UNSELECT")
    let sign = flagged.remove(work.changes) == nil ? "+" : "-"
    if sign == "+" { flagged.insert(work.changes) }
    try writer.ask("STORE 1:\(work.changes) \(sign)FLAGS.SILENT (bench\(work.changes))")
    var samples = Samples()
    for _ in 0..<work.repetitions {
      let time = try timed {
        let changed = try reader.select(again: true)
        guard changed == work.changes else {
          throw BenchError("\(changed) changes instead of \(work.changes)")
        }
      }
      samples.add(time)
      try reader.ask("UNSELECT")
    }
    return samples
  }

  func stop() { dovecot.stop() }
}

/// A flag that one client sets, and another that waits for it with RFC 2177.
final class DovecotIdle: Peer {
  private let dovecot: DovecotServer
  private let writer: IMAPClient
  private let reader: IMAPClient
  private var isSeen = true

  /// It gathers changes for half a second before it tells them: this share of the others' messages.
  private static let share = 3

  init(_ place: PeerPlace) throws {
    dovecot = try DovecotServer(place)
    writer = try dovecot.client()
    reader = try dovecot.client()
    try writer.select()
    try reader.select()
    try reader.send("IDLE")
    _ = try reader.nextLine()
  }

  func measure(_ count: Int) throws -> Samples {
    var samples = Samples()
    for _ in 0..<max(1, count / Self.share) {
      // It looks a little after the last change once more.
      usleep(200_000)
      isSeen.toggle()
      let start = ContinuousClock().now
      try writer.ask("STORE 1 \(isSeen ? "+" : "-")FLAGS.SILENT (\\Seen)")
      while try !reader.nextLine().contains(" FETCH (") {}
      samples.add(ContinuousClock().now - start)
    }
    return samples
  }

  func stop() { dovecot.stop() }
}
