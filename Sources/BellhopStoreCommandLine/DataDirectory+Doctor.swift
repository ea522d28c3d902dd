internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopStoreSQLite
internal import Glibc

extension DataDirectory {
  /// Checks the directory quickly. `bellhopd check` reads the whole database.
  func findings(_ settings: StoreSettings) async throws -> [Finding] {
    var findings = [Finding(.ok, "Only its owner can write to \(path).")]
    if access(database, F_OK) == 0 {
      findings.append(Finding(.ok, "\(database) exists. To check its content: bellhopd check"))
      do {
        if let moved = try await movedFinding() { findings.append(moved) }
      } catch let error as StoreError {
        findings.append(Finding(.problem, error.description.sentence))
      }
    } else {
      findings.append(Finding(.note, "\(path) has no store yet. The first start creates one."))
    }
    let isServing = try administrationSocket() != nil
    findings.append(
      isServing
        ? Finding(.ok, "A store is serving the directory.")
        : Finding(.note, "No store is serving the directory."))
    findings.append(
      SystemTime.isSynchronized
        ? Finding(.ok, "The clock of this machine is synchronised.")
        : Finding(
          .warning,
          "The clock of this machine is not synchronised. Items may expire at wrong times."))
    var disk = statvfs()
    if statvfs(path, &disk) == 0 {
      let free = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
      let least = UInt64(settings.server.diskFreeBytesMin)
      findings.append(
        free >= least
          ? Finding(.ok, "The disk has \(free >> 20) MiB of free space.")
          : Finding(
            .problem,
            "The disk has \(free >> 20) MiB of free space, less than server.disk-free-bytes-min. "
              + "The store reports that it is not ready. Free space on the disk."))
    }
    return findings
  }

  func movedFinding() async throws -> Finding? {
    guard access(database, F_OK) == 0 else { return nil }
    return try SQLiteFile.movedTarget(of: database).map { Finding.moved(to: $0, from: path) }
  }
}
