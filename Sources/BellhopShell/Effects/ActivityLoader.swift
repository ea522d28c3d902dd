internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import BellhopWire
internal import Dispatch

/// An asynchronous loader of devices, from the stores, and activity, from the caches.
final class ActivityLoader: Sendable {
  private let sessions: [Session]
  private let box: MessageQueue
  private let queue = DispatchQueue(label: "bellhop.backoffice")
  private let readers: LateReaders

  init(sessions: [Session], box: MessageQueue) {
    self.sessions = sessions
    readers = LateReaders(sessions)
    self.box = box
  }

  private func chosen(_ account: AccountName?) -> [Session] {
    sessions.filter { account == nil || $0.access.account.name == account }
  }

  func begin(_ effect: ActivityEffect) {
    switch effect {
    case .loadDevices(let serial, let account): loadDevices(serial: serial, of: account)
    case .revokeDevice(let device, let serial, let account):
      revoke(device, serial: serial, of: account)
    case .loadActivity(let serial, let hours, let account):
      loadActivity(serial: serial, hours: hours, of: account)
    }
  }

  // MARK: Devices

  private func loadDevices(serial: Int, of account: AccountName?) {
    Task.detached { [self] in await tellDevices(serial: serial, of: account) }
  }

  private func revoke(_ device: DeviceSummary, serial: Int, of account: AccountName?) {
    Task.detached { [self] in
      guard let session = chosen(device.account).first else { return }
      do {
        let transport = try session.transport()
        try await transport.revokeDevice(device.id)
        box.post(
          .notice(
            Notice(.success, device.name + " is signed out: its token has been revoked.")))
      } catch {
        box.post(.notice(Notice(.error, SafeText("Not signed out: \(error.explanation.sentence)"))))
      }
      await tellDevices(serial: serial, of: account)
    }
  }

  private func tellDevices(serial: Int, of account: AccountName?) async {
    var devices: [DeviceSummary] = []
    var problem: SafeText?
    for session in chosen(account) {
      do {
        let transport = try session.transport()
        let own = session.access.account
        devices += try await transport.devices().map {
          DeviceSummary($0, account: own.name, isThis: $0.id == own.device)
        }
      } catch {
        problem = SafeText(error.explanation)
      }
    }
    box.post(.activity(.devices(serial: serial, devices, problem: problem)))
  }

  // MARK: Activity

  private static let hourMilliseconds: Int64 = 3_600_000

  private func loadActivity(serial: Int, hours: Int, of account: AccountName?) {
    queue.async { [self] in
      do {
        box.post(.activity(.report(serial: serial, try report(hours: hours, of: account))))
      } catch {
        box.post(.notice(Notice(.error, SafeText("Not counted: " + error.explanation))))
      }
    }
  }

  private func report(hours: Int, of account: AccountName?) throws -> ActivityReport {
    let present = sessions[0].storeTime().milliseconds / Self.hourMilliseconds
    let range = (present - Int64(hours) + 1)..<(present + 1)
    var report = ActivityReport(
      hours: [Int](repeating: 0, count: hours), apps: [], notes: [], waiting: [], waitingCount: 0)
    var apps: [String: Int] = [:]
    var names: [String: String] = [:]
    for (session, reader) in zip(sessions, try readers.all())
    where account == nil || session.access.account.name == account {
      for (index, count) in try reader.cache.countsByHour(range).enumerated() {
        report.hours[index] += count.count
      }
      apps.merge(try reader.cache.countsByApp(range), uniquingKeysWith: +)
      names.merge(try reader.cache.displayNames()) { first, _ in first }
      let counts = try reader.cache.outboxCounts()
      report.waitingCount += counts.held + counts.waiting + counts.settling
      report.waiting += try waiting(session, reader)
      report.notes += session.syncNotes
    }
    report.apps = apps.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .prefix(ActivityReport.appsMax).map { app, count in
        .init(name: SafeText(names[app] ?? app, byteLimit: RowSummary.nameBytesMax), count: count)
      }
    report.notes = Array(
      report.notes.sorted { $0.at > $1.at }.prefix(ActivityReport.notesMax))
    report.waiting = Array(report.waiting.prefix(ActivityReport.waitingMax))
    return report
  }

  /// Returns waiting operations, since when they wait and why, as `bellhop outbox` prints them.
  private func waiting(_ session: Session, _ reader: ListReader) throws -> [PrivateText] {
    let (access, now) = (session.access, session.storeTime())
    // An engine runs while a screen is open: in this process, or in the one that it asks.
    let engine = EngineObservation(
      isRunning: true,
      note: EngineReport.read(access.context.directories.engineNotePath(access.account.name)))
    return try reader.cache.waitingOperations(limit: ActivityReport.waitingMax).map { waiting in
      let ids = waiting.operation.notificationIDs
      let item = ids.count == 1 ? try reader.cache.item(ids[0]) : nil
      let why = WaitReason(waiting.stage, engine: engine).text(url: access.account.url, now: now)
      func line(hidesTexts: Bool) -> SafeText {
        SafeText(
          OperationText.line(waiting.operation, item: item, now: now, hidesTexts: hidesTexts)
            + " · since \(MomentText.moment(waiting.madeAt, now: now)) · \(why)")
      }
      return PrivateText(line(hidesTexts: false), hidden: line(hidesTexts: true))
    }
  }
}

extension DeviceSummary {
  fileprivate init(_ device: DevicePayload, account: AccountName, isThis: Bool) {
    self.init(
      account: account, id: device.id,
      name: SafeText(device.name, byteLimit: RowSummary.nameBytesMax),
      platform: SafeText(device.platform, byteLimit: 64),
      state: SafeText(device.state.rawValue, byteLimit: 64), lastSeen: device.renewedDateTime,
      isThis: isThis)
  }
}
