import FoundationEssentials
import Glibc

/// What is wrong with the machine that a program under test runs on (`CFaults.h`).
enum Fault: Sendable {
  /// The wall clock is ahead by so many seconds, or behind.
  case clock(seconds: Int)
  /// The disk below the folder is full as long as a ``FullDisk`` says so.
  case disk(FullDisk)

  var environment: [String: String] {
    switch self {
    case .clock(let seconds):
      ["LD_PRELOAD": Programs.faults, "BELLHOP_FAULT_CLOCK": String(seconds)]
    case .disk(let disk):
      ["LD_PRELOAD": Programs.faults, "BELLHOP_FAULT_DISK": disk.folder]
    }
  }
}

/// A folder whose disk can be filled and emptied while programs write to it.
struct FullDisk: Sendable {
  let folder: String
  private var sign: String { folder + "/../full" }

  /// - Parameter folder: With no link in its path; made if need be.
  init(folder: String) throws {
    self.folder = folder
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }

  func fill() throws { try Data().write(to: URL(filePath: sign)) }

  func makeRoom() throws { try FileManager.default.removeItem(atPath: sign) }
}
