import BellhopTestSupport
import FoundationEssentials
import Testing

@Suite("Dialects, from outside", .realPrograms)
struct DialectMemoryTests {
  /// As many requests as tell of a leak of some KB in each.
  private static let rounds = 2500
  /// What allocation, caches and pools may add between two looks at the same work.
  private static let growthMax = 8.0

  /// Sends random requests over one connection at a time, with any of the tokens.
  ///
  /// - Returns: what was answered with a fault of the store's own, or not at all.
  private static func send(
    _ random: inout SeededRandom, count: Int, port: Int, tokens: [String]
  ) -> [String] {
    var lines = tokens.map { StoreLine(port: port, token: $0) }
    var faults: [String] = []
    for _ in 0..<count {
      let request = DialectRequest.random(&random)
      let index = Int.random(in: tokens.indices, using: &random)
      let headers = request.headers.map { "\($0): \($1)" }.sorted()
      func ask() -> StoreLine.Answer? {
        lines[index]?.ask(
          request.method, request.path, headers: headers, bytes: request.body)
      }
      // A connection that was closed after the last answer says nothing of this request.
      var answer = ask()
      if answer == nil {
        lines[index] = StoreLine(port: port, token: tokens[index])
        answer = ask()
      }
      if answer.map({ $0.status >= 500 }) ?? true {
        faults.append("\(answer?.status ?? 0): \(request)")
      }
    }
    return faults
  }

  /// The process's memory that is no file's, in MB.
  private static func memory(of process: Int32) throws -> Double {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    for line in status.split(separator: "\n") where line.hasPrefix("RssAnon:") {
      let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first
      if let count = kilobytes.flatMap({ Double($0) }) { return count / 1024 }
    }
    throw NotSeen("the memory of the store", seen: status)
  }

  @Test("what nobody would send neither ends the store nor stays in its memory")
  func memory() async throws {
    try await Scene.play { scene in
      let settings = scene.folder + "/bellhopd.toml"
      try """
      [templates.x]
      title = "{a|b.c} {@x-event}"
      body = ["{title}", "{message}"]

      """.write(toFile: settings, atomically: false, encoding: .utf8)
      let store = try await scene.store(more: ["--config", settings])
      let tokens = [
        try await store.token(scope: "device"),
        try await store.token(scope: "publish", "--any-app"),
        try await store.token(scope: "app", "--app", "nas"),
      ]
      let process = try #require(store.processID)
      let port = store.port
      let seed = UInt64(2026)
      var figures: [Double] = []
      var random = SeededRandom(seed: seed)
      for _ in 0..<2 {
        let before = random
        let (faults, after) = await onThread { () -> ([String], SeededRandom) in
          var random = before
          let faults = Self.send(&random, count: Self.rounds, port: port, tokens: tokens)
          return (faults, random)
        }
        random = after
        #expect(faults.isEmpty, "seed \(seed): \(faults.prefix(3))")
        figures.append(try Self.memory(of: process))
      }
      #expect(
        figures[1] - figures[0] < Self.growthMax,
        "seed \(seed): \(figures) MB after \(Self.rounds) requests and after as many again")
    }
  }
}
