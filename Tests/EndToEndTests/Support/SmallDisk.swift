import BellhopTestSupport
import FoundationEssentials
import Glibc

/// A folder with its own small file system, visible only to programs started through it.
///
/// The file system is mounted in a namespace. That needs no privileges where the system allows user
/// namespaces, and it ends with its keeper.
final class SmallDisk: Sendable {
  private let keeper: Child
  private let folder: String
  private let output: String

  /// Whether this machine allows such a disk.
  static func isAllowed() async -> Bool {
    let disk: Void? = try? await Scene.play { scene in
      _ = try await SmallDisk(folder: scene.folder + "/disk", kilobytes: 64, scene)
    }
    return disk != nil
  }

  /// - Parameter folder: The folder to mount on; created if necessary.
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

  /// Makes it larger, or smaller if its content fits.
  func resize(kilobytes: Int) async throws {
    try await run("mount -o remount,size=\(kilobytes)k \"$0\"")
  }

  /// Fills it with a file.
  func fill() async throws { try await run("cat /dev/zero >\"$0/ballast\" 2>/dev/null || true") }

  /// Waits until a folder on it contains no files at any depth.
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
