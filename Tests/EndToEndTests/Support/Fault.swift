import FoundationEssentials
import Glibc

/// What is wrong with the machine that a program under test runs on (`CFaults.h`).
enum Fault: Sendable {
  /// The wall clock is ahead by so many seconds, or behind.
  case clock(seconds: Int)
  /// The wall clock, and the time since the start, are ahead by what the file says at the moment.
  case sleep(MachineSleep)
  /// The disk below the folder is full as long as a ``FullDisk`` says so.
  case disk(FullDisk)

  var environment: [String: String] {
    switch self {
    case .clock(let seconds):
      ["LD_PRELOAD": Programs.faults, "BELLHOP_FAULT_CLOCK": String(seconds)]
    case .sleep(let sleep):
      ["LD_PRELOAD": Programs.faults, "BELLHOP_FAULT_CLOCK": sleep.file]
    case .disk(let disk):
      ["LD_PRELOAD": Programs.faults, "BELLHOP_FAULT_DISK": disk.folder]
    }
  }
}

/// The sleep of the machine that programs run on: for them the time passes at once.
struct MachineSleep: Sendable {
  let file: String

  init(folder: String) throws {
    file = folder + "/slept"
    try sleep(seconds: 0)
  }

  /// - Parameter seconds: slept since the programs began.
  func sleep(seconds: Int) throws {
    // At once, because the programs read it all the time.
    try Data("\(seconds)\n".utf8).write(to: URL(filePath: file), options: .atomic)
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
