import BellhopTestSupport
import FoundationEssentials
import Testing

@Suite("Dialects, end to end", .realPrograms)
struct DialectMemoryTests {
  /// The number of requests that reveals a leak of a few KB in each.
  private static let rounds = 2500
  /// The growth in MB that allocation, caches and pools may cause between two measurements.
  private static let growthMax = 8.0

  /// Sends random requests over one connection at a time, with any of the tokens.
  ///
  /// - Returns: The requests that caused an internal error of the store, or got no answer.
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
      // A connection closed after the previous answer is not a failure of this request.
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

  /// The process's anonymous memory, in MB.
  private static func memory(of process: Int32) throws -> Double {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    for line in status.split(separator: "\n") where line.hasPrefix("RssAnon:") {
      let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first
      if let count = kilobytes.flatMap({ Double($0) }) { return count / 1024 }
    }
    throw NotSeen("the memory of the store", seen: status)
  }

  @Test("malformed requests neither end the store nor stay in its memory")
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
