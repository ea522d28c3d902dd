internal import ArgumentParser
internal import BellhopServer
internal import BellhopStore
internal import Glibc
internal import Synchronization

struct MigrateCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Move a store from a data directory to a database, or back.",
    discussion: """
      Everything moves: users, tokens, devices, notifications and attachments. Devices and \
      publishers continue as after a restart. No process may serve either place, and the target \
      must be empty: for a database, run migrate-schema first. Run the same command again to \
      continue an interrupted move. At the end, counts and checksums of all users are compared.

      The source keeps its data, and refuses to start from then on. --revive ends that, and begins \
      a new epoch: changes after the move are only in the target.

      Examples:
        bellhopd migrate --from /var/lib/bellhop --to postgres://db.example.com/bellhop
        bellhopd migrate --from postgres://db.example.com/bellhop --to /var/lib/bellhop
        bellhopd migrate --from /var/lib/bellhop --revive
      """)
  @Option(
    help: ArgumentHelp("The directory or the address to move from.", valueName: "place"),
    completion: .directory)
  var from: String
  @Option(
    help: ArgumentHelp("The directory or the address to move to.", valueName: "place"),
    completion: .directory)
  var to: String?
  @Flag(help: "Let the store that was moved from --from start there again.") var revive = false
  @Option(
    help: ArgumentHelp(
      "A configuration file with the other settings of the database.", valueName: "file"),
    completion: .file(extensions: ["toml"]))
  var config: String?

  func perform() async throws {
    let settings = try ConfigurationFile.settings(config)
    switch (to, revive) {
    case (nil, true): try await reviveSource(try source(settings))
    case (let to?, false):
      guard Self.isAddress(from) != Self.isAddress(to) else {
        throw ProgramError.usage(
          "One of --from and --to must be a directory, and the other an address of a database. "
            + "Nothing was changed.")
      }
      try await move(from: source(settings), to: place(to, "--to", settings))
    case (nil, false), (_?, true):
      throw ProgramError.usage("Give either --to or --revive. Nothing was changed.")
    }
  }

  /// Whether a text is meant as an address, also in libpq's form with a password, which is refused.
  private static func isAddress(_ text: String) -> Bool {
    text.contains("://") || text.contains("password=")
  }

  private func source(_ settings: StoreSettings) throws -> any DataPlace {
    // A target is created; a source must exist.
    guard Self.isAddress(from) || access(from, F_OK) == 0 else {
      throw ProgramError(exitCode: 66, message: "\(from) does not exist. Nothing was changed.")
    }
    return try place(from, "--from", settings)
  }

  /// Returns the place that an option names, with the other settings of the configuration file.
  private func place(
    _ text: String, _ option: String, _ settings: StoreSettings
  ) throws -> any DataPlace {
    guard Self.isAddress(text) else {
      // The mark in the source names the target, also to commands in other folders.
      return try DataDirectory(DataDirectory(text).absolutePath)
    }
    var database = settings.database
    database.address = try DatabaseAddress(option: option, text).text
    return try DataPlaces.database(database)
  }

  private func move(from source: any DataPlace, to target: any DataPlace) async throws {
    let report: CopyReport
    do {
      report = try await source.openStorage(isSource: true).use { source in
        try await target.openStorage(isSource: false).use { opened in
          let progress = Mutex(MoveProgress())
          let copy = StoreCopy(
            from: source.backend, files: source.files, to: opened.backend, files: opened.files)
          return try await copy.run(environment: .live, targetName: target.description) { step in
            for line in progress.withLock({ $0.lines(after: step) }) { Output.error(line) }
          }
        }
      }
    } catch StoreError.alreadyExists {
      throw ProgramError.badData(
        "\(target) has a store. Nothing was changed. Use an empty directory or schema.")
    }
    Output.error("Moved \(report.summary) to \(target), and compared both.")
    report.printLostFiles()
    Output.error("\(source) keeps its data, and refuses to start from now on.")
  }

  private func reviveSource(_ source: any DataPlace) async throws {
    let wasMoved = try await source.openStorage(isSource: true).use { storage in
      try await StoreService.revive(on: storage.backend, environment: .live)
    }
    Output.error(
      wasMoved
        ? "\(source) can start again. A new epoch began if the move was finished."
        : "\(source) was not moved. Nothing was changed.")
  }
}
