import Glibc

/// A peer that fetches all envelopes with a new client, which stores nothing.
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

/// A peer that reopens a mailbox with a known state, and receives the changed messages.
final class DovecotResync: Peer {
  private let dovecot: DovecotServer
  private let writer: IMAPClient
  private let reader: IMAPClient
  /// The numbers of changes whose messages carry their keyword now.
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

/// A peer that sets a flag with one client while another waits for it with RFC 2177.
final class DovecotIdle: Peer {
  private let dovecot: DovecotServer
  private let writer: IMAPClient
  private let reader: IMAPClient
  private var isSeen = true

  /// The divisor of the message count, since dovecot collects changes for half a second.
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
      // Shortly after the last change, dovecot checks once more.
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
