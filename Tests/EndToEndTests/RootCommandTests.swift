import BellhopTestSupport
import Foundation
import Testing

@Suite("Root's commands in a service's data directory", .realPrograms)
struct RootCommandTests {
  private static let service: uid_t = 54_321

  @Test(
    "user add, token create, backup and restore leave only files that the service can open",
    .enabled(if: geteuid() == 0, "needs root: it changes the owner of a folder"))
  func owners() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      try await store.stop()
      let data = scene.folder + "/store/data"
      // Files that 0.1.0 left for root alone are given to the service too.
      #expect(chown(data, Self.service, Self.service) == 0)
      let backup = scene.folder + "/backup.sqlite"
      for arguments in [
        ["user", "add", "bob"], ["token", "create", "--user", "bob", "--scope", "device"],
        ["backup", backup], ["backup", data + "/inside.sqlite"], ["restore", backup],
        ["user", "list"],
      ] {
        let outcome = try await store.administer(arguments)
        #expect(outcome.exitCode == 0, "\(arguments): \(outcome.errors)")
        let names = try FileManager.default.subpathsOfDirectory(atPath: data)
        #expect(names.contains("store.sqlite") && names.contains("serve.lock"))
        for name in names {
          var status = stat()
          #expect(lstat(data + "/" + name, &status) == 0)
          #expect(status.st_uid == Self.service, "\(name) after \(arguments)")
        }
      }
      var status = stat()
      #expect(lstat(backup, &status) == 0 && status.st_uid == 0, "the backup is root's")
    }
  }
}
