import BellhopTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite("Errors and warnings when bellhopd starts", .realPrograms)
struct RefusedStartTests {
  /// Runs `bellhopd` in a folder of the scene to its end.
  private func bellhopd(
    _ arguments: [String], in scene: Scene, launcher: [String] = []
  ) async throws -> Outcome {
    let child = try Child(
      Programs.bellhopd, arguments + ["--data", scene.folder + "/data"],
      environment: ["HOME": scene.folder, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"],
      directory: scene.folder, folder: scene.folder + "/output", launcher: launcher)
    scene.atEnd { await child.end() }
    guard case .exited(let code) = try await child.waitForEnd() else {
      throw NotSeen("an exit", seen: child.errors)
    }
    return Outcome(
      output: child.output, outputBytes: child.outputBytes, errors: child.errors, exitCode: code)
  }

  private func write(_ text: String, _ mode: mode_t, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
    chmod(path, mode)
  }

  @Test("a metrics token that others can read is refused with 78 (SECURITY-4)")
  func metricsToken() async throws {
    try await Scene.play { scene in
      let token = scene.folder + "/metrics.token"
      try write("0123456789abcdef0123\n", 0o640, to: token)
      try write("metrics-token-file = \"\(token)\"\n", 0o600, to: scene.folder + "/bellhopd.toml")
      let outcome = try await bellhopd(
        ["serve", "--config", scene.folder + "/bellhopd.toml", "--listen", "127.0.0.1:0"], in: scene
      )
      #expect(outcome.exitCode == 78, "\(outcome.errors)")
      #expect(outcome.errors.contains("chmod go= \(token)"), "\(outcome.errors)")
    }
  }

  @Test("fewer open files than 64 connections need are refused with 78 (SECURITY-5)")
  func openFiles() async throws {
    try await Scene.play { scene in
      let outcome = try await bellhopd(
        ["serve", "--listen", "127.0.0.1:0"], in: scene,
        launcher: ["/usr/bin/prlimit", "--nofile=128:128"])
      #expect(outcome.exitCode == 78, "\(outcome.errors)")
      #expect(outcome.errors.contains("open files"), "\(outcome.errors)")
    }
  }

  @Test("a claim that names the user brings a warning when the store starts (SECURITY-9)")
  func userClaim() async throws {
    try await Scene.play { scene in
      let file = scene.folder + "/bellhopd.toml"
      try write(
        """
        [identity-provider]
        issuer = "https://login.example.com"
        audience = "bellhop"
        user-claim = "email"

        """, 0o600, to: file)
      let store = try StoreProcess(folder: scene.folder + "/store")
      scene.atEnd { await store.end() }
      try await store.start(more: ["--config", file])
      #expect(store.log.contains("identity-provider.user-claim is email"), "\(store.log)")
    }
  }

  @Test("a backup is refused beside copies of attachments that others may change (SECURITY-4)")
  func backup() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let backup = scene.folder + "/backup.sqlite"
      #expect(mkdir(backup + ".files", 0o700) == 0 && chmod(backup + ".files", 0o777) == 0)
      let outcome = try await store.administer(["backup", backup])
      #expect(outcome.exitCode != 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("chmod go-w \(backup).files"), "\(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: backup))
    }
  }
}
