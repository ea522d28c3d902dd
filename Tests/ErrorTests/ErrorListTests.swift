import BellhopTestSupport
import Testing

/// Completeness of the lists of error types.
@Suite("Error types")
struct ErrorListTests {
  /// The types whose texts ``ErrorTextTests`` checks.
  static let checked: Set<String> = [
    "NetworkError", "TransportError", "CacheError", "WireError", "FeedError", "SignInError",
    "OutboundError", "TerminalError", "EngineLock.LockError", "NudgeSocket.SocketError",
    "FolderSafety.UnsafeFolderError", "ClientError", "SettingError", "TOMLSource.SyntaxError",
    "FilterPhrase.SyntaxError", "WhenPhrase.SyntaxError", "AppSetting.ValueError",
    "ThemeError", "StoreError", "ServerError", "AdminError", "ProviderError",
    "OwnFile.AccessError", "RegularExpression.SyntaxError",
  ]
  /// The types that stay inside the program, or become one of the others before users read them.
  static let inside: Set<String> = [
    "EventStreamParser.LimitError", "OutboundURL.FormatError", "ActionCall.FormatError",
    "Trigger.FormatError",
    "TokenError",
    "StoreChannel.ConnectionLimitError", "PeerCheck.UnknownPeerError", "RequestError",
    "WebSocketHandler.TakenOverError",
    "Inflation.InflationError", "AnswerCollector.SizeError", "BulkEndpoint.LineError",
    "ListSyntaxError", "JSONBody.SyntaxError", "PictureError", "FormCoding.FormatError",
    "PictureProgram.LimitError", "ProgramError", "PostgresError",
  ]
  /// The modules that users do not run.
  static let unshipped: Set<String> = [
    "BellhopSimulation", "BellhopRouterSimulation", "bellhop-simulate", "bellhop-bench",
    "TerminalReader",
  ]

  @Test("each type's texts are checked, or never reach a user")
  func complete() throws {
    let declaration =
      /^( *)(?:[a-z]+ )*(?:struct|enum|class|protocol) (\w+)\s*:[^{]*\b(?:Error|ExplainedError)\b/
    let type = /^( *)(?:[a-z@]+ )*(?:struct|enum|class|actor|extension) (\w+)/
    var found: Set<String> = []
    for file in try SourceTree.swiftFiles(below: "Sources") {
      let module = String(file.path.split(separator: "/")[1])
      guard !Self.unshipped.contains(module) else { continue }
      var outer: Substring?
      for line in file.lines {
        if let match = line.firstMatch(of: declaration), !line.contains("protocol ") {
          found.insert(match.1.isEmpty ? String(match.2) : "\(outer ?? "?").\(match.2)")
        }
        if let match = line.firstMatch(of: type), match.1.isEmpty { outer = match.2 }
      }
    }
    #expect(found.count > 30)
    #expect(found.subtracting(Self.checked).subtracting(Self.inside) == [], "not listed")
    #expect(Self.checked.union(Self.inside).subtracting(found) == [], "not there any more")
  }

  @Test("no text is made from an error that may belong to another library")
  func interpolations() throws {
    let pattern = /\\\(error\)|String\((?:describing|reflecting): (?:error|\$0\.error)/
    // Files that use the interpolations of `ClientError.swift`, whose types exclude such errors.
    let typed = ["Sources/BellhopClient/", "Sources/BellhopShell/", "Sources/BellhopCommands/"]
    let typedImports = ["internal import BellhopClient", "package import BellhopClient"]
    // Details for the log of a store, which is for developers too.
    let logs = [
      "Sources/BellhopServer/RequestError.swift", "Sources/BellhopServer/Hooks/Hooks.swift",
      "Sources/BellhopServer/RunningServer.swift", "Sources/BellhopServer/ProcessService.swift",
    ]
    for file in try SourceTree.swiftFiles(below: "Sources") {
      let module = String(file.path.split(separator: "/")[1])
      guard !Self.unshipped.contains(module), !logs.contains(file.path) else { continue }
      let isTyped =
        typed.contains { file.path.hasPrefix($0) }
        && (module == "BellhopClient" || file.lines.contains { typedImports.contains(String($0)) })
      for (index, line) in file.lines.enumerated() where line.firstMatch(of: pattern) != nil {
        #expect(isTyped && !line.contains("String("), "\(file.path):\(index + 1): \(line)")
      }
    }
  }
}
