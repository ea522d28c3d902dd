internal import BellhopClient
internal import BellhopModel

/// The option `--environment` of commands.
enum EnvironmentOption {
  /// Returns the environment that a user typed.
  ///
  /// - Parameter consequence: A sentence that says what was not done.
  /// - Throws: `ClientError` for any other word.
  static func parse(_ word: String, consequence: String) throws -> RegistrationEnvironment {
    guard let environment = RegistrationEnvironment(rawValue: word) else {
      throw ClientError(
        .usage, "\"\(word.prefix(64))\" is not a valid --environment.",
        next: "\(consequence) Use development or production.")
    }
    return environment
  }
}
