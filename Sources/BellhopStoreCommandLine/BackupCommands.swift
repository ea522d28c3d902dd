internal import ArgumentParser
internal import BellhopModel
internal import BellhopStore
internal import BellhopStoreSQLite
internal import Glibc

struct BackupCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the store to a file, even while it is serving.",
    discussion: """
      The file contains one consistent state. It is checked, flushed to disk, and readable only \
      by you: it has the notifications of all users, and hashes of their tokens. Attachments are \
      in the directory FILE.files next to it: as hard links if it is on the store's disk, \
      otherwise as copies.

      Example: bellhopd backup /backup/bellhop-$(date +%F).sqlite
      """)
  @Argument(help: "The file to write.", completion: .file()) var file: String
  @Flag(help: "Replace the file if it exists.") var force = false
  @OptionGroup var data: DataOptions

  func perform() async throws {
    umask(0o077)
    let directory = try data.directory()
    let owner = directory.owner(ofFileAt: file)
    let shelf = DirectoryBlobStore(path: file + ".files", owner: owner)
    do {
      try shelf.refuseForeignDirectory()
      try SQLiteFile.copy(
        from: directory.database, to: file, replacing: force, owner: owner)
    } catch StoreError.alreadyExists {
      throw ProgramError(
        exitCode: 73, message: "\(file) already exists. Nothing was written. Use --force.")
    } catch StoreError.notFound {
      throw ProgramError(exitCode: 66, message: "There is no store in \(directory.path).")
    }
    let files = try SQLiteFile.copyFiles(of: file, from: directory.shelf, to: shelf)
    Output.error("Backup written to \(file).")
    if files.copied > 0 {
      Output.error(files.copied.counted("attachment") + " in \(file).files.")
    }
    // Attachments that were deleted during the backup are missing, too.
    if files.missing > 0 {
      Output.error(files.missing.counted("attachment is", "attachments are") + " missing.")
    }
  }
}

struct RestoreCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Replace the store, which must not be serving, with a backup.",
    discussion: """
      The backup is checked first. A new epoch begins: clients notice it, fetch everything again, \
      and send the changes that they still have. Tokens that were revoked since the backup stay \
      revoked. The replaced store is saved as before-restore.sqlite until the next restore; \
      attachments that only it had are removed when the store starts. Attachments are restored \
      from FILE.files. Exit code 65: the store is restored, except for some damaged attachments, \
      which are listed.

      Example: bellhopd restore /backup/bellhop-2026-11-20.sqlite
      """)
  @Argument(help: "A file that bellhopd backup wrote.", completion: .file()) var file: String
  @OptionGroup var data: DataOptions

  func perform() async throws {
    umask(0o077)
    let directory = try data.directory()
    try await directory.lockForServing()
    let report = try await Restore(file: file, directory: directory).run()
    Output.error("Restored from \(file): " + report.users.counted("user") + ".")
    let damaged = try restoreFiles(to: directory)
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
    if access(directory.path + "/before-restore.sqlite", F_OK) == 0 {
      Output.error("The previous store is saved as \(directory.path)/before-restore.sqlite")
    }
    if damaged > 0 {
      throw ProgramError.badData(
        "The store is restored, but " + damaged.counted("attachment is", "attachments are")
          + " damaged. To recover them, restore a backup whose FILE.files contains them.")
    }
  }
}

extension RestoreCommand {
  /// The most lost attachments that are listed individually. Of the others, only the number is
  /// reported.
  private static let lostNamedMax = 50

  /// Restores the attachments and reports the lost ones. The database is already in place.
  ///
  /// - Returns: The number of damaged attachments.
  private func restoreFiles(to directory: DataDirectory) throws -> Int {
    let (restored, lost) = try SQLiteFile.restoreFiles(
      of: directory.database, from: DirectoryBlobStore(path: file + ".files"), to: directory.shelf)
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
    let report: RestoreReport
    do {
      try SQLiteFile.copy(
        from: file, to: prepared, replacing: true, owner: directory.owner)
      report = try await prepare()
    } catch StoreError.newerSchema {
      throw ProgramError(
        exitCode: 78,
        message: "\(file) was written by a newer bellhopd. Nothing was changed. Use that version.")
    } catch StoreError.unavailable(let reason) {
      throw ProgramError.badData("\(file) cannot be restored: \(reason). Nothing was changed.")
    }
    try SQLiteFile.install(
      prepared, at: directory.database,
      keepingOldAt: directory.path + "/before-restore.sqlite")
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

struct CheckCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the store, even while it is serving, or a backup for damage.",
    discussion: """
      Prints one problem per line to standard output. Exit codes: 0 sound, 65 damaged.

      Examples:
        bellhopd check
        bellhopd check --file /backup/bellhop-2026-11-20.sqlite
      """)
  @Option(
    help: ArgumentHelp("Check this backup instead.", valueName: "path"), completion: .file())
  var file: String?
  @OptionGroup var data: DataOptions

  func perform() async throws {
    let path: String
    let shelf: DirectoryBlobStore
    if let file {
      path = file
      shelf = DirectoryBlobStore(path: file + ".files")
    } else {
      let directory = try data.directory()
      path = directory.database
      shelf = directory.shelf
    }
    let problems: [String]
    do {
      problems = try await SQLiteFile.problems(of: path, shelf: shelf)
    } catch StoreError.notFound {
      throw ProgramError(exitCode: 66, message: "There is no database at \(path).")
    } catch StoreError.unavailable(let reason) {
      throw ProgramError.badData("\(path): \(reason)")
    }
    for problem in problems { Output.line(problem) }
    guard problems.isEmpty else {
      throw ProgramError.badData("\(path) is damaged. Restore the last good backup.")
    }
    Output.error("\(path): sound")
  }
}
