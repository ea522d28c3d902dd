internal import BellhopCache
internal import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import FoundationEssentials
internal import Glibc

/// The checks of an account's folder, which do not use the network.
extension DoctorCheck {
  static let cache = DoctorCheck(id: "cache", title: "cache") { examination in
    guard let account = examination.account else { return nil }
    let path = examination.context.directories.cachePath(account.name)
    do throws(CacheError) {
      let reader = try CacheReader(path: path, account: account.name)
      let totals = try reader.totals()
      let count = totals.history.count
      return .ok("\(count) items")
    } catch {
      switch error {
      case .missing: return .ok("none yet: the first synchronisation creates it")
      case .olderSchema:
        return .ok("of an older version: it is updated at its next use")
      case .corrupt:
        return .broken(
          .badData, error.description,
          "Quit every screen and run bellhop status: unsent changes are rescued, the rest is "
            + "fetched from the store again.")
      case .newerSchema, .otherAccount, .full, .io, .interrupted:
        return .broken(ClientError(error))
      }
    }
  }

  static let integrity = DoctorCheck(id: "integrity", title: "cache integrity") { examination in
    guard let account = examination.account else { return nil }
    let path = examination.context.directories.cachePath(account.name)
    do throws(CacheError) {
      let health = try CacheHealth.check(at: path, within: Examination.integrityLimit)
      guard let faults = health.faults else {
        return .ok("schema \(health.schemaVersion); too large to check fully in 20 s")
      }
      guard let fault = faults.first else {
        return .ok("schema \(health.schemaVersion), intact")
      }
      return .broken(
        .badData, "The cache is damaged: \(fault)",
        "Quit every screen and run bellhop status: unsent changes are rescued, the rest is "
          + "fetched from the store again.")
    } catch {
      if case .missing = error { return nil }
      return .skipped("the cache could not be opened")
    }
  }

  /// The free space below which the check warns, because the disk may be full within days.
  private static let roomWarningBytes: UInt64 = 100 << 20
  /// The free space below which writes will soon fail.
  private static let roomNeededBytes: UInt64 = 8 << 20

  static let room = DoctorCheck(id: "disk", title: "disk space") { examination in
    guard let account = examination.account else { return nil }
    let folder = examination.context.directories.account(account.name)
    var system = statvfs()
    guard statvfs(folder, &system) == 0 else {
      return .broken(.inputOutput, "Cannot read \(folder): \(systemMessage(errno)).")
    }
    let free = UInt64(system.f_bavail) * UInt64(system.f_frsize)
    let text = "\(free >> 20) MiB free"
    if free < roomNeededBytes {
      return .broken(.inputOutput, text, "Free disk space in \(folder): writes will soon fail.")
    }
    return free < roomWarningBytes ? .warning(text, "Free disk space in \(folder).") : .ok(text)
  }

  static let engine = DoctorCheck(id: "engine", title: "engine") { examination in
    guard let account = examination.account else { return nil }
    let path = examination.context.directories.lockPath(account.name)
    guard access(path, F_OK) == 0 else { return .ok("not synchronising now") }
    let lock = EngineLock(path: path)
    do throws(EngineLock.LockError) {
      if try lock.tryLock() {
        lock.unlock()
        return .ok("not synchronising now")
      }
    } catch {
      return .broken(.inputOutput, error.description)
    }
    guard let holder = LockHolder.find(path) else { return .ok("another bellhop is synchronising") }
    return .ok("process \(holder.processID) (\(holder.name)) is synchronising")
  }

  /// The waiting time after which the check warns, which is longer than a flight.
  private static let waitWarning: Duration = .seconds(24 * 3600)

  static let outbox = DoctorCheck(id: "outbox", title: "outbox") { examination in
    guard let account = examination.account else { return nil }
    let access = CacheAccess(examination.context, account: account)
    let path = examination.context.directories.cachePath(account.name)
    do {
      let reader = try CacheReader(path: path, account: account.name)
      let state = try reader.syncState()
      let now = examination.context.now().advanced(by: state.clockOffset)
      let waiting = try reader.waitingOperations(limit: 1)
      let counts = try reader.outboxCounts()
      guard let oldest = waiting.first, counts.unsent > 0 else {
        return .ok("all changes are sent")
      }
      let reason = WaitReason(oldest.stage, engine: EngineObservation(access))
      let text =
        "\(counts.unsent) waiting, the oldest since \(MomentText.moment(oldest.madeAt, now: now)): "
        + reason.text(url: account.url, now: now)
      guard now.duration(since: oldest.madeAt) > waitWarning else { return .ok(text) }
      return .warning(text, "Nothing is lost. bellhop outbox lists them; bellhop sync sends them.")
    } catch {
      return .skipped("the cache could not be read")
    }
  }
}

/// The process that holds a lock file.
struct LockHolder: Hashable {
  var processID: Int32
  var name: String

  /// Finds the holder; nil if the system does not report it, as for a process of another container.
  static func find(_ path: String) -> LockHolder? {
    var status = stat()
    guard stat(path, &status) == 0,
      let locks = try? PrivateFile.read("/proc/locks", isSecret: false),
      let process = process(holding: UInt64(status.st_ino), in: locks), process > 0
    else { return nil }
    let name = (try? PrivateFile.read("/proc/\(process)/comm", isSecret: false)) ?? nil
    return LockHolder(processID: process, name: name?.trimmed ?? "?")
  }

  /// Finds the holder in `/proc/locks` (proc(5)).
  ///
  /// A line has the form `1: FLOCK ADVISORY WRITE 708 08:01:12345 0 EOF`; a waiting process has
  /// `->`.
  static func process(holding inode: UInt64, in locks: String) -> Int32? {
    for line in locks.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK",
        words[5].split(separator: ":").last.flatMap({ UInt64($0) }) == inode
      else { continue }
      return Int32(words[4])
    }
    return nil
  }
}
