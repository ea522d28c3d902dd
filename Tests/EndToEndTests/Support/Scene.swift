import FoundationEssentials
import Glibc
import Synchronization

/// The environment of one test: a folder, and everything that runs in it.
///
/// All processes that a test leaves running are ended, and the folder is removed, even if the test
/// fails.
final class Scene: Sendable {
  let folder: String
  private let keeper: Keeper
  private let endings = Mutex<[@Sendable () async -> Void]>([])

  private init() throws {
    // Short, because paths of Unix sockets are limited.
    var template = Array("/tmp/bellhop-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Child.NotStarted(
        description: "No temporary folder: \(systemMessage(errno))")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    keeper = try Keeper(folder: folder)
  }

  /// Runs a test in a new scene.
  static func play(_ body: (Scene) async throws -> Void) async throws {
    let scene = try Scene()
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(scene))
    } catch {
      result = .failure(error)
    }
    await scene.end()
    try result.get()
  }

  /// Calls `ending` when the scene is over, the latest first.
  func atEnd(_ ending: @escaping @Sendable () async -> Void) {
    endings.withLock { $0.append(ending) }
  }

  private func end() async {
    for ending in endings.withLock({ $0 }).reversed() { await ending() }
    try? FileManager.default.removeItem(atPath: folder)
    await keeper.dismiss()
  }

  // MARK: - Devices and stores

  /// A new device with its own home folder.
  func device(_ name: String, fault: Fault? = nil) throws -> Device {
    let device = try Device(name: name, folder: folder + "/" + name, fault: fault)
    atEnd { await device.endPrivateStore() }
    return device
  }

  /// A running store with one user, on a free port.
  ///
  /// - Parameter more: Further arguments of `serve`.
  func store(fault: Fault? = nil, more: [String] = []) async throws -> StoreProcess {
    let store = try StoreProcess(folder: folder + "/store", fault: fault)
    atEnd { await store.end() }
    try await store.addUser()
    try await store.start(more: more)
    return store
  }

  /// A device that is signed in to a store.
  ///
  /// - Parameter url: An address to use instead of the store's own.
  func device(
    _ name: String, on store: StoreProcess, url: String? = nil, fault: Fault? = nil
  ) async throws -> Device {
    let device = try device(name, fault: fault)
    try await device.signIn(to: store, url: url)
    return device
  }

  /// Runs `bellhop` in its own terminal.
  func screen(
    on device: Device, columns: Int = 80, rows: Int = 24, program: String = Programs.bellhop,
    arguments: [String] = [], environment: [String: String] = [:]
  ) async throws -> TmuxScreen {
    let screen = TmuxScreen(
      device: device,
      socket: "\(folder)/\(device.name)-\(Self.number.add(1, ordering: .relaxed).newValue)")
    atEnd { await screen.end() }
    try await screen.start(
      columns: columns, rows: rows, command: [program] + arguments, environment: environment)
    return screen
  }

  private static let number = Atomic<Int>(0)
}
