internal import ArgumentParser
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

      With --database, the file has the portable format, which bellhopd restore reads into a \
      database or a data directory.

      Example: bellhopd backup /backup/bellhop-$(date +%F).sqlite
      """)
  @Argument(help: "The file to write.", completion: .file()) var file: String
  @Flag(help: "Replace the file if it exists.") var force = false
  @OptionGroup var data: DataOptions

  func perform() async throws {
    let place = try data.place()
    umask(0o077)
    try await place.backUp(to: file, replacing: force)
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

      With --database, the file must have the portable format, and the schema no store yet.

      Example: bellhopd restore /backup/bellhop-2026-11-20.sqlite
      """)
  @Argument(help: "A file that bellhopd backup wrote.", completion: .file()) var file: String
  @OptionGroup var data: DataOptions

  func perform() async throws {
    let place = try data.place()
    umask(0o077)
    try await place.restore(from: file)
  }
}

struct CheckCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the store, even while it is serving, or a backup for damage.",
    discussion: """
      Prints one problem per line to standard output, and says at the end if the store was moved. \
      Exit codes: 0 sound, 65 damaged.

      Examples:
        bellhopd check
        bellhopd check --file /backup/bellhop-2026-11-20.sqlite
      """)
  @Option(
    help: ArgumentHelp("Check this backup instead.", valueName: "path"), completion: .file())
  var file: String?
  @OptionGroup var data: DataOptions

  func perform() async throws {
    let name: String
    let problems: [String]
    var moved: Finding?
    if let file {
      name = file
      problems = try await Self.problems(ofBackup: file)
    } else {
      let place = try data.place()
      name = place.description
      problems = try await place.problems()
      moved = try await place.movedFinding()
    }
    for problem in problems { Output.line(problem) }
    if problems.isEmpty { Output.error("\(name): sound") }
    if let moved { Output.error(moved.text) }
    guard problems.isEmpty else {
      throw ProgramError.badData("\(name) is damaged. Restore the last good backup.")
    }
  }

  /// Returns descriptions of all problems of a backup of either format.
  private static func problems(ofBackup file: String) async throws -> [String] {
    guard access(file, R_OK) == 0, try PortableBackup.isPortable(file) else {
      return try await DataDirectory.problems(
        of: file, shelf: DirectoryBlobStore(path: file + ".files"))
    }
    do {
      _ = try PortableBackup.check(file)
      return []
    } catch StoreError.unavailable(let reason) {
      throw ProgramError.badData("\(file): \(reason)")
    }
  }
}
