#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore
internal import Glibc

extension DatabasePlace {
  func backUp(to file: String, replacing isReplacing: Bool) async throws {
    let exists = access(file, F_OK) == 0
    if exists, !isReplacing { throw ProgramError.existingFile(file) }
    let report = try await openStorage(isSource: true).use { storage in
      // Written beside it first, so that the previous file stays if the backup fails.
      let path = exists ? file + ".new" : file
      if exists { unlink(path) }
      let report = try await PortableBackup.write(
        from: storage.backend, files: storage.files, to: path, at: SystemTime.now)
      if exists, rename(path, file) != 0 {
        let reason = String(cString: strerror(errno))
        unlink(path)
        throw ProgramError(
          exitCode: 74, message: "\(file) cannot be replaced: \(reason). Nothing was changed.")
      }
      return report
    }
    Output.error("Backup written to \(file): \(report.summary).")
    report.printLostFiles()
  }

  func restore(from file: String) async throws {
    guard try PortableBackup.isPortable(file) else {
      throw ProgramError.badData(
        """
        \(file) does not have the portable format, which bellhopd backup --database writes. Nothing \
        was changed. Restore it into a data directory, and move that with bellhopd migrate.
        """)
    }
    let report: (copy: CopyReport, restore: RestoreReport)
    do {
      report = try await openStorage(isSource: false).use { storage in
        try await PortableBackup.restore(
          file: file, to: storage.backend, files: storage.files)
      }
    } catch StoreError.alreadyExists {
      throw ProgramError.badData(
        "\(self) has a store. Nothing was changed. Restore into an empty schema.")
    }
    report.restore.printUsers(from: file)
    report.copy.printLostFiles()
  }
}
#endif
