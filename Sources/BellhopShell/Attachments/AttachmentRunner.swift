internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import Synchronization

/// A runner that fetches, saves and opens attachments for the user, beside the event loop.
final class AttachmentRunner: Sendable {
  private let folders: AttachmentFolders
  private let programs: DesktopPrograms
  private let box: MessageQueue
  private let running = Mutex<[Int: Task<Void, Never>]>([:])
  /// Files already fetched for preview or opening, by account and id. The store never changes a
  /// file.
  private let fetched = Mutex<[FileKey: String]>([:])

  private struct FileKey: Hashable {
    var account: AccountName
    var id: String
  }

  init(_ context: ClientContext, programs: DesktopPrograms, box: MessageQueue) {
    folders = AttachmentFolders(context)
    self.programs = programs
    self.box = box
  }

  func start(_ order: AttachmentOrder, of session: Session) {
    running.withLock { running in
      running[order.serial] = Task.detached { [self] in
        let outcome = await outcome(of: order, session)
        _ = self.running.withLock { $0.removeValue(forKey: order.serial) }
        box.post(.attachment(.fetchEnded(serial: order.serial, outcome)))
      }
    }
  }

  func cancel(serial: Int) { running.withLock { $0[serial] }?.cancel() }

  /// Cancels all transfers and removes incomplete files.
  func stop() async {
    let tasks = running.withLock { Array($0.values) }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  private func outcome(of order: AttachmentOrder, _ session: Session) async -> AttachmentOutcome {
    do {
      let path = try await file(of: order, session)
      switch order.purpose {
      case .save: return .saved(path: path)
      case .open: return try programs.open(path) ? .opened : .unopened(path: path)
      case .preview: return .previewed(try FetchedFile.preview(path))
      }
    } catch {
      return AttachmentFetch.isCancelled(error)
        ? .cancelled : .failed(SafeText(AttachmentFetch.words(error)))
    }
  }

  /// Returns the path of the complete file. Does not fetch it again if it is already here.
  private func file(of order: AttachmentOrder, _ session: Session) async throws -> String {
    let key = FileKey(account: order.account, id: order.id)
    let isSaved = order.purpose == .save
    let known = fetched.withLock { $0[key] }.flatMap { FetchedFile.isThere($0) ? $0 : nil }
    if let known, !isSaved { return known }
    let folder = isSaved ? try folders.downloads() : try folders.opened(of: order.account)
    let file = try NewFile.make(order.fileName, in: folder)
    if let known {
      try FetchedFile.copy(known, to: file)
    } else {
      try await AttachmentFetch.fetch(
        order.id, from: try session.transport(), bytesMax: order.bytesMax, to: file
      ) { [box] received, total in
        box.post(.attachment(.fetchMoved(serial: order.serial, received: received, total: total)))
      }
    }
    if !isSaved { fetched.withLock { $0[key] = file.path } }
    return file.path
  }
}
