package import BellhopModel
internal import CBellhopSystem

extension ProgramVersion {
  /// The version that `--version` prints: with the commit, in a program of a release.
  package static let described = described(commit: bellhop_commit().map { String(cString: $0) })

  static func described(commit: String?) -> String {
    commit.map { "\(number) (\($0))" } ?? number
  }
}
