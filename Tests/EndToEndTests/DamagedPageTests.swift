import BellhopTestSupport
import Foundation
import Glibc
import Testing

/// A database page that the disk returns damaged.
///
/// `BELLHOP_PAGE_ROUNDS` sets the number of pages, `BELLHOP_PAGE_SEED` repeats a run.
@Suite("A damaged page of a database", .realPrograms)
struct DamagedPageTests {
  private static func variable(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  private static let rounds = Int(variable("BELLHOP_PAGE_ROUNDS") ?? 4)
  private static let pageBytes = 4096

  private static func seed(_ what: String) -> UInt64 {
    let seed = variable("BELLHOP_PAGE_SEED") ?? UInt64.random(in: 0...UInt64.max)
    print("\(what): \(rounds) pages, BELLHOP_PAGE_SEED=\(seed)")
    return seed
  }

  /// The bytes of a closed database, without a write-ahead log.
  private static func bytes(_ path: String, _ scene: Scene) async throws -> [UInt8] {
    #expect(try await scene.sqlite("PRAGMA wal_checkpoint(TRUNCATE)", on: path) == "0")
    return Array(try Data(contentsOf: URL(filePath: path)))
  }

  /// Pages of a database to damage, counted from 0.
  ///
  /// The first page is excluded, because programs check it before SQLite does; so are free ones,
  /// which contain no data.
  private static func pages(_ file: [UInt8], _ random: inout SeededRandom) throws -> [Int] {
    func number(_ place: Int) -> Int { file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    var free: Set<Int> = []
    // The free list: trunk pages, each with its leaves (Database File Format, 1.5).
    var trunk = number(32)
    while trunk != 0, free.insert(trunk - 1).inserted {
      let start = (trunk - 1) * pageBytes
      for leaf in 0..<number(start + 4) { free.insert(number(start + 8 + 4 * leaf) - 1) }
      trunk = number(start)
    }
    let used = (1..<file.count / pageBytes).filter { !free.contains($0) }
    return Array(used.shuffled(using: &random).prefix(rounds))
  }

  private static func write(_ file: [UInt8], to path: String) throws {
    for end in ["-wal", "-shm"] { unlink(path + end) }
    try Data(file).write(to: URL(filePath: path))
  }

  private static func damage(_ file: [UInt8], page: Int, _ random: inout SeededRandom) -> [UInt8] {
    var damaged = file
    for place in page * pageBytes..<(page + 1) * pageBytes {
      damaged[place] = UInt8.random(in: 0...255, using: &random)
    }
    return damaged
  }

  @Test("a store finds a damaged page, and gives no wrong answer")
  func store() async throws {
    var random = SeededRandom(seed: Self.seed("The store"))
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = SteadyPublisher(
        name: "app", token: try await store.token(scope: "publish", "--any-app"))
      let port = store.port
      await onThread {
        publisher.run(port, while: { publisher.answered.count < 150 }, acknowledged: { _ in })
      }
      let token = try await store.token(scope: "device")
      var truth = StoreMirror(token: token)
      try truth.pull(store.port)
      try await store.stop()
      let path = scene.folder + "/store/data/store.sqlite"
      let sound = try await Self.bytes(path, scene)
      #expect(try await store.administer(["check"]).exitCode == 0)

      for page in try Self.pages(sound, &random) {
        try Self.write(Self.damage(sound, page: page, &random), to: path)
        let check = try await store.administer(["check"])
        #expect(check.exitCode != 0, "page \(page): \(check.output)")
        if (try? await store.start()) != nil {
          var mirror = StoreMirror(token: token)
          if (try? mirror.pull(store.port)) != nil {
            #expect(mirror.items == truth.items, "page \(page)")
          } else {
            #expect(store.log.contains("damaged"), "page \(page): \(store.log)")
          }
          try await store.crash()
        } else {
          #expect(store.log.contains("damaged"), "page \(page): \(store.log)")
        }
      }
    }
  }

  @Test("a client finds a damaged page, gives no wrong answer, and fetches everything again")
  func client() async throws {
    var random = SeededRandom(seed: Self.seed("The client"))
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = SteadyPublisher(
        name: "app", token: try await store.token(scope: "publish", "--any-app"))
      let port = store.port
      await onThread {
        publisher.run(port, while: { publisher.answered.count < 150 }, acknowledged: { _ in })
      }
      let device = try await scene.device("desk", on: store)
      try await device.succeed("sync")
      let path = try device.cacheFile()
      let truth = try await device.items("list", "--all", "--limit", "1000")
      #expect(truth.count == 150)
      let sound = try await Self.bytes(path, scene)

      for page in try Self.pages(sound, &random) {
        try Self.write(Self.damage(sound, page: page, &random), to: path)
        var told: [String] = []
        // As a user would do it: the error is reported, and the next command, or the one after it,
        // works.
        for command in [["list", "--all", "--limit", "1000"], ["sync"], ["sync"]] {
          let outcome = try await device.run(
            program: Programs.bellhop, command + (command[0] == "list" ? ["--json"] : []))
          if command[0] == "list", outcome.exitCode == 0, outcome.errors.isEmpty {
            let items = try outcome.lines.map {
              try JSONDecoder().decode(ListedItem.self, from: Data($0.utf8))
            }
            #expect(items == truth, "page \(page)")
          }
          #expect(
            outcome.exitCode == 0 || outcome.errors.contains("damaged"),
            "page \(page): \(outcome.errors)")
          told.append("\(outcome.exitCode) \(outcome.errors)")
        }
        let items = try await device.items("list", "--all", "--limit", "1000")
        #expect(items == truth, "page \(page): \(told)")
      }
      let change = try await device.run(program: Programs.bellhop, ["dismiss", "1", "--wait"])
      if change.exitCode != 0 {
        // The last damaged page was one that only a change reads.
        #expect(change.errors.contains("damaged"), "\(change.errors)")
        _ = try await device.run(program: Programs.bellhop, ["sync"])
        try await device.succeed("sync")
        try await device.succeed("dismiss", "1", "--wait")
      }
      let items = try await device.items("list", "--all", "--limit", "1000")
      #expect(items.filter { $0.action == "dismissed" }.map(\.title) == ["app 1"])
    }
  }
}
