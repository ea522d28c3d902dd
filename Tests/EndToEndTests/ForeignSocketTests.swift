import BellhopTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite("A store's socket in a folder that another user may replace", .realPrograms)
struct ForeignSocketTests {
  /// A way in which another user may replace a folder.
  enum Risk: CaseIterable, Sendable {
    case writable, foreign
  }

  /// Makes the folder unsafe, and returns the reason that the error then contains.
  private func spoil(_ folder: String, _ risk: Risk) -> String? {
    switch risk {
    case .writable:
      return chmod(folder, 0o770) == 0 ? "Other users may write to \(folder)." : nil
    case .foreign:
      // Only root can change the owner of a folder.
      return chown(folder, 54_321, 54_321) == 0 ? "\(folder) belongs to another user." : nil
    }
  }

  @Test("no command connects there, and each exits with 77 (SECURITY-4)", arguments: Risk.allCases)
  func refused(risk: Risk) async throws {
    guard risk == .writable || geteuid() == 0 else { return }
    try await Scene.play { scene in
      // The data path is too long for a socket, which is in the runtime base instead.
      let data = scene.folder + "/" + String(repeating: "d", count: 100)
      let shared = scene.folder + "/shared"
      for folder in [data, shared] { #expect(mkdir(folder, 0o700) == 0) }
      chmod(shared, 0o1777)
      let device = try scene.device("desk")
      let environment = ["XDG_DATA_HOME": data, "XDG_RUNTIME_DIR": shared]
      func bellhop(_ words: [String]) async throws -> Outcome {
        try await device.run(program: Programs.bellhop, words, environment: environment)
      }
      #expect(try await bellhop(["store", "start"]).exitCode == 0)
      #expect(try await bellhop(["devices"]).exitCode == 0)
      #expect(try await bellhop(["store", "stop"]).exitCode == 0)

      let base = shared + "/bellhop"
      let runtime = try #require(
        try FileManager.default.contentsOfDirectory(atPath: base)
          .map { "\(base)/\($0)" }.first { !$0.hasSuffix(".sock") })
      let listener = try ListeningSocket(path: runtime + "/store.sock")
      let reason = try #require(spoil(base, risk))
      for words in [
        ["devices"], ["token", "list"], ["publish", "text"], ["sync"], ["attachment", "1"],
        ["store", "status"], ["store", "stop"], ["doctor"],
        ["login", "unix:\(runtime)/store.sock", "--name", "other"],
      ] {
        let outcome = try await bellhop(words)
        // An attachment is looked up in the cache first, which is empty.
        let expected: Int32 = words[0] == "attachment" ? 66 : 77
        #expect(outcome.exitCode == expected, "\(words): \(outcome.output)\(outcome.errors)")
        if expected == 77 {
          #expect(
            (outcome.output + outcome.errors).contains(reason),
            "\(words): \(outcome.output)\(outcome.errors)")
        }
        #expect(!listener.hasConnection, "\(words)")
      }
      chown(base, geteuid(), getegid())
      chmod(base, 0o700)
    }
  }

  @Test("a device does not sign out there, and stays unchanged")
  func signOut() async throws {
    try await Scene.play { scene in
      let shared = scene.folder + "/shared"
      for folder in [shared, shared + "/run"] { #expect(mkdir(folder, 0o700) == 0) }
      chmod(shared, 0o1777)
      let socket = shared + "/run/store.sock"
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      // The account as it would be after a sign-in at the socket.
      let file = device.accountsFolder + "/home/account.json"
      let account = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
      let escaped = store.url.replacing("/", with: "\\/")
      try device.write(
        account.replacing(escaped, with: "unix:" + socket)
          .replacing(store.url, with: "unix:" + socket), to: file)
      let listener = try ListeningSocket(path: socket)
      chmod(shared + "/run", 0o770)
      for words in [["logout"], ["devices"], ["token", "list"], ["doctor"]] {
        let outcome = try await device.run(program: Programs.bellhop, words)
        #expect(outcome.exitCode == 77, "\(words): \(outcome.output)\(outcome.errors)")
        #expect(!listener.hasConnection, "\(words)")
      }
      #expect(FileManager.default.fileExists(atPath: device.accountsFolder + "/home/token"))
    }
  }
}

/// A socket on which another program listens in place of the store.
private final class ListeningSocket: Sendable {
  private let descriptor: Int32

  init(path: String) throws {
    descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    unlink(path)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(descriptor, 8) == 0 else {
      throw NotSeen("a socket at \(path)", seen: systemMessage(errno))
    }
  }

  deinit { close(descriptor) }

  /// Whether a program has connected since the last call.
  var hasConnection: Bool {
    let connection = accept(descriptor, nil, nil)
    guard connection >= 0 else { return false }
    close(connection)
    return true
  }
}
