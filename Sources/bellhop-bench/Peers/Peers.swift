/// The peers of each row. The table reports those that are not installed.
///
/// Two need no line here, because they are not programs: the disk itself (``DiskPeer``) and
/// SQLite's C interface (``RawUpserts``).
enum Peers {
  /// Programs with a list on a screen: start, memory, scrolling.
  static var lists: [PeerKind<ScreenPlan, ScreenFigures>] {
    [
      PeerKind(name: "neomutt", needs: ["neomutt"], start: Neomutt.list),
      PeerKind(name: "newsboat", needs: ["newsboat"], start: Newsboat.list),
      PeerKind(name: "aerc", needs: ["aerc"], start: Aerc.list),
      PeerKind(name: "tig", needs: ["tig", "git"], start: Tig.list),
    ]
  }

  /// Programs that show a list while nothing happens.
  static var idleLists: [PeerKind<Void, ProcessFigures>] {
    [
      PeerKind(name: "neomutt", needs: ["neomutt"]) { try IdleList(Neomutt.list($0)) },
      PeerKind(name: "newsboat", needs: ["newsboat"]) { try IdleList(Newsboat.list($0)) },
    ]
  }

  /// Programs that search as words are typed.
  static var searches: [PeerKind<[String], Samples>] {
    [PeerKind(name: "notmuch search", needs: ["notmuch"], start: Notmuch.init)]
  }

  /// Programs that send everything to a new device.
  static var firstSyncs: [PeerKind<Void, FirstSyncFigures>] {
    [PeerKind(name: "dovecot FETCH", needs: ["dovecot"], start: DovecotFetch.init)]
  }

  /// Programs that send few changes among many items.
  static var deltas: [PeerKind<DeltaWork, Samples>] {
    [PeerKind(name: "dovecot QRESYNC", needs: ["dovecot"], start: DovecotResync.init)]
  }

  /// Programs that relay messages from one client to another.
  static var relays: [PeerKind<Int, Samples>] {
    [
      PeerKind(name: "redis XREAD", needs: ["redis-server"], start: RedisStream.init),
      PeerKind(name: "mosquitto QoS 1", needs: ["mosquitto"], start: MosquittoRelay.init),
      PeerKind(name: "dovecot IDLE", needs: ["dovecot"], start: DovecotIdle.init),
    ]
  }

  /// Programs whose writes are durable when they respond.
  static var publishers: [PeerKind<PublishWork, Double>] {
    [
      PeerKind(name: "redis, fsync always", needs: ["redis-server"], start: RedisAppend.init),
      PeerKind(
        name: "PostgreSQL, pgbench", needs: ["initdb", "postgres", "pgbench"],
        start: PostgresInsert.init),
    ]
  }

  /// Programs with clients that wait for a message which does not come.
  static var crowds: [PeerKind<CrowdWork, CrowdFigures>] {
    [
      PeerKind(name: "mosquitto", needs: ["mosquitto"], start: MosquittoCrowd.init),
      PeerKind(name: "nats-server", needs: ["nats-server"], start: NATSCrowd.init),
    ]
  }
}
