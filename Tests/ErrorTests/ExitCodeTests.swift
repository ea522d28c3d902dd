import BellhopStore
import BellhopTestSupport
import Testing

@testable import BellhopServer

@Suite("The exit codes of bellhopd")
struct ExitCodeTests {
  @Test("a refusal of the store ends a command with the documented code")
  func store() {
    for error in StoreError.samples {
      let expected: Int32 =
        switch error {
        case .invalid, .alreadyExists, .modified, .idempotencyConflict, .resyncRequired, .outboxGap,
          .outboxDiverged, .notSupported, .quotaReached:
          65
        case .notFound: 66
        case .storageFull, .outcomeUnknown, .unavailable: 74
        case .busy, .tooManyStreams, .tooManyLists, .tooManyRequests, .inUse: 75
        case .unauthenticated, .revoked, .accessDenied, .tooManySubscriptions: 77
        case .newerSchema, .moved, .unfinishedCopy: 78
        }
      #expect(error.exitCode == expected, "\(error)")
    }
  }

  @Test("a refusal through the admin socket has the code of its status")
  func administration() {
    for (status, code) in [
      (400, 65), (401, 77), (403, 77), (404, 66), (409, 65), (429, 75), (500, 70), (503, 75),
      (507, 74),
    ] as [(Int, Int32)] {
      #expect(AdminError(status: status, body: []).exitCode == code, "\(status)")
    }
  }

  @Test("every code is one of bellhopd's help, except 70 for a failure of the program itself")
  func help() throws {
    let help = try SourceTree.text("Sources/BellhopStoreCommandLine/Bellhopd.swift")
    let line = try #require(help.firstRange(of: "Exit codes: "))
    let list = help[line.upperBound...].prefix { $0 != "." }
    let documented = Set(list.matches(of: /\d+/).compactMap { Int32($0.output) } + [70])
    let codes =
      StoreError.samples.map(\.exitCode) + ServerError.samples.map(\.exitCode)
      + AdminError.samples.map(\.exitCode)
    #expect(Set(codes).subtracting(documented) == [])
  }
}
