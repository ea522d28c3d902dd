import Testing

@testable import BellhopStoreCommandLine

@Suite("The judgement of bellhopd doctor about a database")
struct DatabaseReportTests {
  /// A database without problems.
  private static var sound: DatabaseReport {
    var report = DatabaseReport(serverVersion: 150_018)
    report.role = "bellhop"
    report.synchronousStandbyNames = "ANY 1 (db1, db2, db3)"
    report.standbys = [
      DatabaseReport.Standby(name: "db2", state: "streaming", syncState: "quorum", lagBytes: 0)
    ]
    report.tables = ["items", "users"]
    report.rows = [DatabaseReport.TableRows(table: "items", live: 100_000, dead: 20_000)]
    return report
  }

  private func findings(
    requireStandby: Bool = true, _ change: (inout DatabaseReport) -> Void = { _ in }
  ) -> [Finding] {
    var report = Self.sound
    change(&report)
    return report.findings(schema: "bellhop", connections: 21, requireStandby: requireStandby)
  }

  /// Expects exactly one finding that is not good, of this grade and with these words.
  private func expect(
    _ grade: Finding.Grade, _ words: String, in findings: [Finding],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let others = findings.filter { $0.grade != .ok }
    #expect(others.map(\.grade) == [grade], "\(findings)", sourceLocation: sourceLocation)
    #expect(
      others.first?.text.contains(words) == true, "\(findings)", sourceLocation: sourceLocation)
  }

  @Test("a sound database has only good findings")
  func sound() {
    #expect(findings().allSatisfy { $0.grade == .ok })
    #expect(findings().count == 8)
  }

  @Test("an old version, a standby, unsafe settings and a wrong clock are problems")
  func server() {
    expect(.problem, "Version 14 or later", in: findings { $0.serverVersion = 130_012 })
    expect(.note, "untried", in: findings { $0.serverVersion = 170_002 })
    expect(.problem, "is a standby", in: findings { $0.isInRecovery = true })
    expect(.problem, "fsync is off", in: findings { $0.unsafeSettings = ["fsync"] })
    expect(
      .problem, "7000 ms behind", in: findings { $0.clockOffset = .zero - .seconds(7) })
    // A slow answer proves nothing about the clock.
    let slow = findings {
      $0.clockOffset = .seconds(7)
      $0.clockUncertainty = .seconds(4)
    }
    #expect(slow.allSatisfy { $0.grade == .ok })
  }

  @Test("commits that wait for no standby are a problem, or a warning if that is allowed")
  func noStandby() {
    let alone: (inout DatabaseReport) -> Void = {
      $0.synchronousStandbyNames = ""
      $0.standbys = []
    }
    expect(.problem, "refuses to start", in: findings(alone))
    expect(.warning, "can lose", in: findings(requireStandby: false, alone))
  }

  @Test("a missing, a slow and an invisible standby are reported")
  func standbys() {
    expect(.problem, "Writes do not end", in: findings { $0.standbys = [] })
    expect(.warning, "catchup", in: findings { $0.standbys[0].state = "catchup" })
    expect(.warning, "100 MiB", in: findings { $0.standbys[0].lagBytes = 100 << 20 })
    expect(
      .note, "GRANT pg_monitor TO bellhop",
      in: findings {
        $0.seesReplication = false
        $0.standbys = []
      })
  }

  @Test("missing rights are problems, and needless ones warnings")
  func rights() {
    expect(.problem, "bellhopd migrate-schema", in: findings { $0.hasSchema = false })
    expect(.problem, "may not read and write users", in: findings { $0.closedTables = ["users"] })
    expect(.warning, "superuser", in: findings { $0.isSuperuser = true })
    expect(.warning, "may create tables", in: findings { $0.canCreate = true })
  }

  @Test("missing tables and indexes are problems, and dead rows a warning")
  func tables() {
    expect(.problem, "has no tables", in: findings { $0.tables = [] })
    expect(.problem, "newer version", in: findings { $0.tableFault = "It has a newer version." })
    expect(.problem, "item_arrival", in: findings { $0.missingIndexes = ["item_arrival"] })
    expect(
      .problem, "REINDEX INDEX bellhop.item_app", in: findings { $0.invalidIndexes = ["item_app"] })
    expect(
      .problem, "migrate --from ADDRESS --revive",
      in: findings { $0.movedTarget = "/var/lib/bellhop" })
    expect(.warning, "75 % of the rows of items", in: findings { $0.rows[0].dead = 300_000 })
    let small = findings {
      $0.rows = [DatabaseReport.TableRows(table: "leases", live: 2, dead: 90)]
    }
    #expect(small.allSatisfy { $0.grade == .ok })
  }

  @Test("too few connections are reported before a process needs them")
  func connections() {
    expect(.warning, "Another process could not start", in: findings { $0.connectionsOpen = 90 })
    expect(.problem, "CONNECTION LIMIT", in: findings { $0.roleConnectionsMax = 10 })
  }

  @Test("a pooler is a warning, and its transaction mode a problem")
  func pooler() {
    expect(.warning, "cannot exclude it", in: findings { $0.pooler = .separate })
    expect(.problem, "transaction mode", in: findings { $0.pooler = .shared })
  }
}
