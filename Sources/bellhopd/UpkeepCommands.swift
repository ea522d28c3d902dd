internal import ArgumentParser
internal import BellhopServer

struct ExpireCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "expire",
    abstract: "Clear expired notifications and old tombstones away now.",
    discussion: """
      A store that serves does it by itself every minute.

      Example: bellhopd expire
      """)
  @OptionGroup var data: DataOptions

  func run() async throws {
    try await Complaint.reporting {
      let report = try await data.administer(.expire)
      Output.line("expired \(report.expired)")
      Output.line("tombstones dropped \(report.tombstonesDropped)")
    }
  }
}
