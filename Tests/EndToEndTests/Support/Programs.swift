import Glibc

/// The programs under test, which are beside the test bundle.
enum Programs {
  /// The folder with `bellhop` and `bellhopd`.
  static let folder: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(
      decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = String(own[..<(own.lastIndex(of: "/") ?? own.startIndex)])
    precondition(
      access(folder + "/bellhop", X_OK) == 0 && access(folder + "/bellhopd", X_OK) == 0,
      "bellhop and bellhopd are not beside the tests in \(folder); build the package first.")
    return folder
  }()

  static let bellhop = folder + "/bellhop"
  static let bellhopd = folder + "/bellhopd"
  /// Both programs in one file.
  static let both = folder + "/bellhop-programs"
  /// The library of faults (`CFaults.h`), for `LD_PRELOAD`.
  static let faults: String = {
    let path = folder + "/libBellhopFaults.so"
    precondition(access(path, R_OK) == 0, "\(path) is not there; build the package first.")
    return path
  }()
  /// The deliberate fault that this test run has chosen, for the environment of its programs.
  static let mutant: [String: String] = {
    getenv("BELLHOP_MUTANT").map { ["BELLHOP_MUTANT": String(cString: $0)] } ?? [:]
  }()
  static let curl = systemProgram("curl")
  static let openssl = systemProgram("openssl")
  static let python = systemProgram("python3")
  static let tmux = systemProgram("tmux")

  private static func systemProgram(_ name: String) -> String {
    let path = ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + name }
      .first { access($0, X_OK) == 0 }
    precondition(path != nil, "\(name) is not installed; .ci/packages installs it.")
    return path ?? name
  }
}
