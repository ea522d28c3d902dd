internal import BellhopModel
internal import BellhopStore
internal import BellhopStoreSQLite
internal import Glibc

extension DataDirectory {
  func backUp(to file: String, replacing isReplacing: Bool) async throws {
    let owner = self.owner(ofFileAt: file)
    let shelf = DirectoryBlobStore(path: file + ".files", owner: owner)
    do {
      try shelf.refuseForeignDirectory()
      try SQLiteFile.copy(
        from: database, to: file, replacing: isReplacing, owner: owner)
    } catch StoreError.alreadyExists {
      throw ProgramError.existingFile(file)
    } catch StoreError.notFound {
      throw ProgramError.noStore(in: path)
    }
    let files = try SQLiteFile.copyFiles(of: file, from: self.shelf, to: shelf)
    Output.error("Backup written to \(file).")
    if files.copied > 0 {
      Output.error(files.copied.counted("attachment") + " in \(file).files.")
    }
    // Attachments that were deleted during the backup are missing, too.
    if files.missing > 0 {
      Output.error(files.missing.counted("attachment is", "attachments are") + " missing.")
    }
  }

  func problems() async throws -> [String] {
    try await Self.problems(of: database, shelf: shelf)
  }

  /// Returns descriptions of all problems of the database at `path` and its attachments.
  static func problems(
    of path: String, shelf: DirectoryBlobStore
  ) async throws -> [String] {
    do {
      return try await SQLiteFile.problems(of: path, shelf: shelf)
    } catch StoreError.notFound {
      throw ProgramError(exitCode: 66, message: "No database was found at \(path).")
    } catch StoreError.unavailable(let reason) {
      throw ProgramError.badData("\(path): \(reason)")
    }
  }

  // MARK: - Restoring

  func restore(from file: String) async throws {
    try await lockForServing()
    let report = try await Restore(file: file, directory: self).run()
    report.printUsers(from: file)
    let damaged = try PortableBackup.isPortable(file) ? 0 : restoreFiles(of: file)
    if report.revokedAgain > 0 {
      Output.error(
        report.revokedAgain.counted("token stays", "tokens stay")
          + " revoked, as before the restore.")
    }
    for name in report.lost { Output.error("\(name) was added after the backup, and is lost.") }
    for name in report.returned {
      Output.error(
        "\(name) is not in the previous store, or was removed from it. Check the user's tokens.")
    }
    if access(path + "/before-restore.sqlite", F_OK) == 0 {
      Output.error("The previous store is saved as \(path)/before-restore.sqlite")
    }
    if damaged > 0 {
      throw ProgramError.badData(
        "The store is restored, but " + damaged.counted("attachment is", "attachments are")
          + " damaged. To recover them, restore a backup whose FILE.files contains them.")
    }
  }

  /// The most lost attachments that are listed individually. Of the others, only the number is
  /// reported.
  private static let lostNamedMax = 50

  /// Restores the attachments and reports the lost ones. The database is already in place.
  ///
  /// - Returns: The number of damaged attachments.
  private func restoreFiles(of file: String) throws -> Int {
    let (restored, lost) = try SQLiteFile.restoreFiles(
      of: database, from: DirectoryBlobStore(path: file + ".files"), to: shelf)
    if restored > 0 {
      Output.error(
        restored.counted("attachment is", "attachments are") + " restored and undamaged.")
    }
    for file in lost.prefix(Self.lostNamedMax) {
      Output.error("\(file.name) is \(file.reason.rawValue): \(file.hash.rawValue)")
    }
    for reason in [SQLiteFile.LostFile.Reason.missing, .damaged] {
      let count = lost.count { $0.reason == reason }
      if count > 0 {
        Output.error(
          count.counted("attachment is", "attachments are")
            + " \(reason.rawValue). The notifications are restored without "
            + "\(reason.rawValue) attachments.")
      }
    }
    return lost.count { $0.reason == .damaged }
  }
}

/// The steps of a restore. Until the last step, the store is unchanged.
private struct Restore {
  let file: String
  let directory: DataDirectory

  private var prepared: String { directory.path + "/restoring.sqlite" }

  func run() async throws -> RestoreReport {
    guard access(file, R_OK) == 0 else {
      throw ProgramError(
        exitCode: 66, message: "\(file) does not exist or cannot be read. Nothing was changed.")
    }
    removePrepared()
    defer { removePrepared() }
    if try PortableBackup.isPortable(file) { return try await restorePortable() }
    let report: RestoreReport
    do {
      try SQLiteFile.copy(
        from: file, to: prepared, replacing: true, owner: directory.owner)
      report = try await prepare()
    } catch StoreError.newerSchema {
      throw ProgramError.newerBackup(file)
    } catch StoreError.unavailable(let reason) {
      throw ProgramError.badData("\(file) cannot be restored: \(reason). Nothing was changed.")
    }
    try install()
    return report
  }

  private func install() throws {
    try SQLiteFile.install(
      prepared, at: directory.database,
      keepingOldAt: directory.path + "/before-restore.sqlite")
  }

  /// Restores a backup of a database, whose file has the attachments too.
  private func restorePortable() async throws -> RestoreReport {
    let former = try await formerState()
    let backend = try SQLiteBackend(path: prepared, owner: directory.owner)
    let report: RestoreReport
    do {
      let restored = try await PortableBackup.restore(
        file: file, to: backend, files: directory.shelf, after: former)
      restored.copy.printLostFiles()
      report = restored.restore
      await backend.close()
    } catch {
      await backend.close()
      throw error
    }
    try install()
    return report
  }

  private func prepare() async throws -> RestoreReport {
    let former = try await formerState()
    let backend = try SQLiteBackend(path: prepared, owner: directory.owner)
    let problems = try await backend.problems()
    guard problems.isEmpty else {
      await backend.close()
      throw ProgramError.badData(
        "\(file) is damaged. Nothing was changed:\n" + problems.joined(separator: "\n"))
    }
    let store = try await StoreService.open(.joining, on: backend, environment: .live)
    do {
      let report = try await store.adopt(after: former)
      await store.close()
      return report
    } catch {
      await store.close()
      throw error
    }
  }

  /// Returns the state of the present store; nil if there is none or it can no longer be read.
  private func formerState() async throws -> FormerState? {
    guard access(directory.database, F_OK) == 0 else { return nil }
    do {
      let store = try await directory.open(.joining)
      let former = try await store.formerState()
      await store.close()
      return former
    } catch StoreError.unavailable {
      Output.error("The current store cannot be read. Item numbers will continue with a gap.")
      return nil
    }
  }

  private func removePrepared() {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(prepared + suffix) }
  }
}
