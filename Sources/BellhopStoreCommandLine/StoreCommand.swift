internal import ArgumentParser

/// A command that reports its error on standard error and ends with its exit code.
protocol StoreCommand: AsyncParsableCommand {
  /// Does the work of the command.
  func perform() async throws
}

extension StoreCommand {
  func run() async throws {
    do {
      try await perform()
    } catch let exit as ExitCode {
      throw exit
    } catch {
      let failure = ProgramError(error)
      for line in failure.message.split(separator: "\n") { Output.error("bellhopd: " + line) }
      throw ExitCode(failure.exitCode)
    }
  }
}
