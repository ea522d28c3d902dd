/// The version of both programs.
package enum ProgramVersion {
  /// The version as [SemVer](https://semver.org) has it, such as `0.2.0`.
  ///
  /// A store reports it in `/health`.
  package static let number = "0.2.0"
}
