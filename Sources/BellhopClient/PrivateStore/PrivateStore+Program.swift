internal import BellhopInbox
internal import Glibc

extension PrivateStore {
  /// The folder of the running program.
  ///
  /// Once installed, both programs are links in `bin` to one file in `lib/bellhop`. The folder is
  /// then `bin`.
  package static var programFolder: String? {
    ProgramName.executable.flatMap(folder(ofExecutable:))
  }

  /// Returns the folder of the programs whose executable file is this one.
  static func folder(ofExecutable own: String) -> String? {
    let installed = "/lib/bellhop/bellhop-programs"
    if own.hasSuffix(installed) { return own.dropLast(installed.count) + "/bin" }
    return own.lastIndex(of: "/").map { String(own[..<$0]) }
  }

  /// Returns the path of bellhopd: beside this program, or in `PATH`.
  static func locateProgram(environment: [String: String]) throws -> String {
    var folders: [String] = []
    if let programFolder { folders.append(programFolder) }
    folders += (environment["PATH"] ?? "").split(separator: ":").map(String.init)
      .filter { $0.hasPrefix("/") }
    for folder in folders where access(folder + "/bellhopd", X_OK) == 0 {
      return folder + "/bellhopd"
    }
    throw ClientError(
      .storeUnavailable, "The store program bellhopd is neither beside bellhop nor in PATH.",
      next: "Install bellhopd too, or sign in to another store: bellhop login URL")
  }
}
