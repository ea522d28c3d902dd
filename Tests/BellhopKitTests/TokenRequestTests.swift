import BellhopKit
import BellhopModel
import BellhopTestSupport
import Foundation
import Synchronization
import Testing

/// A token provider that records the requested scopes.
private final class TokenDesk: Sendable {
  private struct State {
    var asked: [[String]] = []
    var answers: [Result<String, FeedError>]
  }

  private let state: Mutex<State>

  init(_ answers: [Result<String, FeedError>]) { state = Mutex(State(answers: answers)) }

  var asked: [[String]] { state.withLock { $0.asked } }

  func answer(_ scopes: [String]) throws -> String {
    try state.withLock { state in
      state.asked.append(scopes)
      return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
    }.get()
  }
}

@Suite("A feed with files")
struct TokenRequestTests {
  private func account(_ folder: KeptFolder, url: String) -> FeedAccount {
    FeedAccount(
      name: AccountName("alice"), url: url, device: DeviceID("kit-test"), deviceName: "kit test",
      folder: folder.path + "/feed")
  }

  @Test("invalid or insecure addresses are refused before anything is created")
  func addresses() throws {
    let folder = try KeptFolder()
    for url in ["store", "ftp://store", "http://store.example.com"] {
      #expect(throws: FeedError.self) {
        try UserDataFeed(account(folder, url: url)) { _ in "token" }
      }
    }
  }

  @Test("a socket in a folder that another user may replace is refused (SECURITY-4)")
  func foreignSocket() throws {
    let folder = try KeptFolder()
    let shared = folder.path + "/shared"
    let own = shared + "/bellhop"
    let account = account(folder, url: "unix:\(own)/store.sock")
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    chmod(shared, 0o1777)
    chmod(own, 0o770)
    let words =
      "\(own)/store.sock is not safe to use. Other users may write to \(own). "
      + "Run: chmod 700 \(own)"
    #expect(throws: FeedError.store(words)) { try UserDataFeed(account) { _ in "token" } }
    #expect(!FileManager.default.fileExists(atPath: account.folder))
    chmod(own, 0o700)
    #expect(throws: Never.self) { try UserDataFeed(account) { _ in "token" } }
  }

  @Test("a program without a token is asked for one by scope, and then has to sign in")
  func signIn() async throws {
    let folder = try KeptFolder()
    let desk = TokenDesk([.failure(.signInAgain("no token"))])
    // The feed sends no request to this address, because it has no token.
    let feed = try UserDataFeed(account(folder, url: "http://127.0.0.1:9")) {
      try desk.answer($0)
    }
    let events = await feed.events()
    try await feed.start()
    let waiting = await first(of: events) { event in
      if case .status(.signInAgain(_, let waiting)) = event { waiting } else { nil }
    }
    #expect(waiting == 0)
    #expect(desk.asked.allSatisfy { $0 == ["bellhop.device"] } && !desk.asked.isEmpty)
    await #expect(throws: FeedError.self) { try await feed.sync(within: .seconds(3600)) }
    #expect(await feed.stop(within: .zero) == 0)
  }

  @Test("an unreachable store is reported as offline, and nothing is lost")
  func offline() async throws {
    let folder = try KeptFolder()
    let feed = try UserDataFeed(account(folder, url: "http://127.0.0.1:9")) { _ in "blh_x" }
    let events = await feed.events()
    try await feed.start()
    let isOffline = await first(of: events) { event in
      if case .status(.offline) = event { true } else { nil }
    }
    #expect(isOffline == true)
    let reader = try feed.channel.makeReader(ReaderOptions(start: .beginning))
    #expect(try await reader.readBatch().changes == [])
    await feed.stop(within: .zero)
  }
}
