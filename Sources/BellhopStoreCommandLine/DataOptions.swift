internal import ArgumentParser
internal import BellhopServer
internal import Glibc

/// The options of every command that locate the store's data.
struct DataOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store's data directory (default: $XDG_DATA_HOME/bellhop/store).", valueName: "dir"),
    completion: .directory)
  var data: String?
  @Option(
    help: ArgumentHelp(
      "The PostgreSQL database of the store, without a password, instead of --data.",
      valueName: "address"))
  var database: String?
  @Option(
    help: ArgumentHelp(
      "A configuration file, as bellhopd config default prints it. Flags override it.",
      valueName: "file"), completion: .file(extensions: ["toml"]))
  var config: String?

  /// Returns the settings of the configuration file, or the defaults if there is none.
  ///
  /// `--data` and `--database` override the place of the data that the file names.
  func settings() throws -> StoreSettings {
    var settings = try ConfigurationFile.settings(config)
    switch (data, database) {
    case (nil, nil): break
    case (let data?, nil):
      settings.data = data
      settings.database.address = nil
    case (nil, let database?):
      settings.database.address = try DatabaseAddress(option: "--database", database).text
    case (_?, _?): throw ProgramError.usage("Use either --data or --database. Nothing was opened.")
    }
    return settings
  }

  /// Returns the place of the data: the database if an address is given, otherwise the directory.
  func place() throws -> any DataPlace { try DataPlaces.place(settings()) }

  /// Performs a single administration request on the store.
  func administer<Answer>(_ request: AdminRequest<Answer>) async throws -> Answer {
    try await place().administer(request, settings: settings())
  }
}

/// The places that settings name.
enum DataPlaces {
  static func place(_ settings: StoreSettings) throws -> any DataPlace {
    if settings.database.address != nil { return try database(settings.database) }
    return try directory(settings)
  }

  /// Returns the directory, which exists and is private to its owner.
  static func directory(_ settings: StoreSettings) throws -> DataDirectory {
    if let data = settings.data { return try DataDirectory(data) }
    func variable(_ name: String) -> String? {
      guard let value = getenv(name) else { return nil }
      let text = String(cString: value)
      return text.hasPrefix("/") ? text : nil
    }
    if let base = variable("XDG_DATA_HOME") { return try DataDirectory(base + "/bellhop/store") }
    guard let home = variable("HOME") else {
      throw ProgramError(
        exitCode: 78, message: "HOME is not set. Choose the data directory with --data.")
    }
    return try DataDirectory(home + "/.local/share/bellhop/store")
  }

  /// Returns the database, without connecting to it.
  ///
  /// - Throws: ``ProgramError`` in a program that was built without PostgreSQL.
  static func database(_ settings: DatabaseSettings) throws -> any DataPlace {
    #if BELLHOP_POSTGRES
      return try DatabasePlace(settings)
    #else
      throw ProgramError.withoutPostgres
    #endif
  }
}

extension ProgramError {
  /// The refusal of a database by a program that was built without libpq.
  static let withoutPostgres = ProgramError(
    exitCode: 78,
    message: """
      This bellhopd was built without PostgreSQL. Nothing was opened. Build one with it: \
      swift build -c release --product bellhopd --traits PostgreSQL, which needs Debian's libpq-dev.
      """)
}

extension DatabaseAddress {
  /// Reads the value of an option.
  ///
  /// - Throws: ``ProgramError`` with code 64, which repeats nothing of the value.
  init(option: String, _ text: String) throws {
    switch Self.fault(in: text) {
    case .secret:
      throw ProgramError.usage(
        """
        \(option) contains a password, which other users of this machine can read in the list of \
        processes. Nothing was opened. Change that password, put it into a password file with mode \
        0600, and name the file with ?passfile=PATH or PGPASSFILE.
        """)
    case .form:
      throw ProgramError.usage(
        "That is not a valid \(option). Use an address such as \(Self.example). "
          + "Nothing was opened.")
    case nil: break
    }
    guard let address = DatabaseAddress(text) else {
      throw ProgramError.usage("That is not a valid \(option).")
    }
    self = address
  }
}
