internal import BellhopClient
internal import BellhopModel
internal import BellhopThemes

/// The values that a shell completes; none if they cannot be read, as a shell cannot show an error.
extension Commands {
  package static func accountNames() -> [String] {
    guard let context = try? silentContext() else { return [] }
    return (try? context.accounts.all().map(\.name.rawValue)) ?? []
  }

  package static func themeNames() -> [String] {
    guard let context = try? silentContext() else { return [] }
    return Theme.names(searchPath: ThemeChoice.searchPath(context))
  }

  package static let priorityNames = Priority.allCases.map(\.name)

  private static func silentContext() throws -> ClientContext {
    try ClientContext.live(account: nil, usesPolling: nil, saysWarnings: false)
  }
}
