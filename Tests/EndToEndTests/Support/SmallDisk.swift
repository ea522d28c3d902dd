import BellhopTestSupport
import FoundationEssentials
import Glibc

/// A folder with a file system of its own that has little room. Only programs that are started
/// through it see it: it is mounted in a namespace, which needs no rights where the system allows
/// namespaces of users, and which goes with its keeper.
final class SmallDisk: Sendable {
  private let keeper: Child
  private let folder: String
  private let output: String

  /// Whether this machine lets a test do that.
  static func isAllowed() async -> Bool {
    let disk: Void? = try? await Scene.play { scene in
      _ = try await SmallDisk(folder: scene.folder + "/disk", kilobytes: 64, scene)
    }
    return disk != nil
  }

  /// - Parameter folder: Made if need be.
  init(folder: String, kilobytes: Int, _ scene: Scene) async throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    self.folder = folder
    output = scene.folder + "/disks"
    let keeper = try Child(
      "/usr/bin/unshare",
      [
        "--user", "--map-root-user", "--mount", "/bin/sh", "-c",
        "mount -t tmpfs -o mode=700,size=\(kilobytes)k none \"$0\" && echo ready && exec sleep inf",
        folder,
      ],
      environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"], directory: "/", folder: output)
    scene.atEnd { await keeper.end() }
    self.keeper = keeper
    try await eventually("a small disk") {
      if let ending = keeper.endingIfEnded {
        throw NotSeen("a small disk", seen: "\(ending) \(keeper.errors)")
      }
      return keeper.output.contains("ready")
    }
  }

  var launcher: [String] {
    [
      "/usr/bin/nsenter", "--target", "\(keeper.processID)", "--user", "--mount",
      "--preserve-credentials", "--",
    ]
  }

  /// Makes it larger, or smaller if what is on it allows.
  func resize(kilobytes: Int) async throws {
    try await run("mount -o remount,size=\(kilobytes)k \"$0\"")
  }

  /// Fills it with a file.
  func fill() async throws { try await run("cat /dev/zero >\"$0/ballast\" 2>/dev/null || true") }

  /// Waits until there is no file in a folder of it, or below.
  func waitUntilEmpty(_ name: String) async throws {
    try await eventually("no file in \(name)") {
      (try? await run("test -d \"$0/\(name)\" && test -z \"$(find \"$0/\(name)\" -type f)\""))
        != nil
    }
  }

  func removeBallast() async throws { try await run("rm \"$0/ballast\"") }

  private func run(_ script: String) async throws {
    let child = try Child(
      "/bin/sh", ["-c", script, folder], environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"],
      directory: "/", folder: output, launcher: launcher)
    guard try await child.waitForEnd() == .exited(0) else {
      throw NotSeen("success of \(script)", seen: child.errors)
    }
  }
}
