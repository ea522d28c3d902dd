import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopClient

@Suite("Authentication before an action")
struct AuthenticatorTests {
  /// A folder with programs that do nothing, as the only one in `PATH`.
  private func circumstances(
    _ programs: String..., in folder: TemporaryFolder, isOnDesktop: Bool = false,
    isRoot: Bool = false, hasPolicy: Bool = true, sudoStatus: Int32 = 1
  ) throws -> Authenticator.Circumstances {
    for program in programs {
      let path = folder.path + "/" + program
      try "#!/bin/sh\n".write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    return Authenticator.Circumstances(
      configured: nil,
      environment: ["PATH": folder.path].merging(isOnDesktop ? ["DISPLAY": ":0"] : [:]) { $1 },
      isRoot: isRoot, exists: { _ in hasPolicy }, status: { _ in sudoStatus })
  }

  private func command(_ circumstances: Authenticator.Circumstances) -> [String]? {
    if case .command(let command) = Authenticator(circumstances).program { command } else { nil }
  }

  @Test("polkit asks on a desktop where its action is installed, and sudo elsewhere")
  func programs() throws {
    let folder = try TemporaryFolder()
    let desktop = try circumstances("pkcheck", "sudo", in: folder, isOnDesktop: true)
    let polkit = try #require(command(desktop))
    #expect(polkit.first == folder.path + "/pkcheck")
    #expect(polkit.contains("org.bellhop.perform-action"))
    var remote = desktop
    remote.environment["SSH_CONNECTION"] = "198.51.100.1 1 198.51.100.2 22"
    let unpackaged = try circumstances(in: folder, isOnDesktop: true, hasPolicy: false)
    for circumstances in [remote, unpackaged, try circumstances(in: folder)] {
      #expect(
        command(circumstances)?.prefix(3) == [folder.path + "/sudo", "-k", "-v"],
        "sudo forgets what it knows, and asks")
    }
  }

  @Test("where nothing would ask for a password, there is no program")
  func none() throws {
    let (empty, full) = (try TemporaryFolder(), try TemporaryFolder())
    for circumstances in [
      try circumstances(in: empty), try circumstances("sudo", in: full, isRoot: true),
      try circumstances("sudo", in: full, sudoStatus: 0),
    ] {
      #expect(command(circumstances) == nil)
      let reason = try #require(Authenticator(circumstances).authenticate())
      #expect(reason.hasSuffix("; set authenticate under [actions]"))
    }
  }

  @Test("the configured program decides by its exit status")
  func configured() throws {
    let folder = try TemporaryFolder()
    var circumstances = try circumstances("sudo", in: folder, isOnDesktop: true)
    circumstances.configured = ["/bin/sh", "-c", "test \"$1\" = \"it's me\"", "sh", "it's me"]
    #expect(Authenticator(circumstances).authenticate() == nil)
    circumstances.configured = ["/bin/sh", "-c", "exit 3"]
    #expect(
      Authenticator(circumstances).authenticate()
        == "you were not authenticated (exit status 3)")
  }
}
