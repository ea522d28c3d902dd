extension ExitCode {
  /// The meaning of the code, for the manual.
  package var meaning: String {
    switch self {
    case .success: "The command was carried out."
    case .usage: "The command line is not valid, or there is nothing yet to read."
    case .badData: "The data of a file or an answer is not valid, or the store refused it."
    case .noSuchItem: "There is no such item, or several match."
    case .storeUnavailable: "The store is unavailable."
    case .software: "A fault of the program, or an answer that it does not understand."
    case .cannotCreate: "A file or a folder cannot be created."
    case .inputOutput: "A file cannot be read or written, or the disk is full."
    case .tryLater: "It cannot be done now. Try again later."
    case .notAllowed: "The store, or the owner of a file, does not allow it."
    case .configuration: "The configuration, or the cache of a newer version, cannot be used."
    }
  }
}
