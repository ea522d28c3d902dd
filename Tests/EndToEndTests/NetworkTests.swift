import BellhopTestSupport
import Foundation
import Glibc
import Testing

/// Two screens and commands behind networks that delay, stall and break.
///
/// `BELLHOP_NETWORK_ROUNDS` sets the number of rounds; `BELLHOP_NETWORK_SEED` repeats a run as far
/// as its choices go.
@Suite("On a bad network", .realPrograms)
struct NetworkTests {
  private static func variable(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  /// Network conditions of a random kind.
  private static func weather(_ random: inout SeededRandom) -> FaultyWire.Weather {
    var weather = FaultyWire.Weather.clear
    switch Int.random(in: 0...6, using: &random) {
    case 0: weather.latency = 20...400
    case 1: weather.bytesPerSecond = Int.random(in: 300...3000, using: &random)
    case 2: weather.isStalledUp = true
    case 3: weather.isStalledDown = true
    case 4: weather.breaksAfter = 1...1500
    case 5: weather.leadsNowhere = true
    default: weather = .silence
    }
    return weather
  }

  @Test("two devices on networks that delay, stall and break agree once these have recovered")
  func convergence() async throws {
    let seed = Self.variable("BELLHOP_NETWORK_SEED") ?? UInt64.random(in: 0...UInt64.max)
    let asked = Self.variable("BELLHOP_NETWORK_ROUNDS")
    let rounds = Int(asked ?? 4)
    print("Bad networks: \(rounds) rounds, BELLHOP_NETWORK_SEED=\(seed)")
    var random = SeededRandom(seed: seed)
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      var wires: [FaultyWire] = []
      var devices: [Device] = []
      var screens: [TmuxScreen] = []
      for name in ["laptop", "phone"] {
        let wire = try FaultyWire(to: store.port, seed: seed)
        scene.atEnd { wire.cut() }
        let device = try await scene.device(name, on: store, url: wire.url)
        wires.append(wire)
        devices.append(device)
        screens.append(try await scene.screen(on: device))
      }
      for number in 1...8 { try await publisher.publish("Item \(number)", app: "app\(number)") }
      for screen in screens { try await screen.wait(for: "app8", "● live, all sent") }

      // A dead connection is noticed by its silence, which takes a while.
      func keeps() -> Bool { asked == nil || Bool.random(using: &random) }
      var commands = 0
      for round in 1...rounds {
        for wire in wires {
          wire.set(Self.weather(&random), keepsConnections: keeps())
        }
        try await publisher.publish("Round \(round)", app: "round")
        for device in devices {
          for _ in 1...2 {
            let verb = ["dismiss", "restore", "read", "unread"].randomElement(using: &random)
            let number = Int.random(in: 1...8, using: &random)
            // The screen is the engine: a command is done once its operation is stored.
            try await device.succeed(verb ?? "read", "\(number)")
            commands += 1
          }
        }
      }
      for wire in wires { wire.set(.clear, keepsConnections: keeps()) }
      for screen in screens {
        // A round in progress may still fail with its connection.
        try await screen.type("R")
        try await screen.wait(for: "all sent")
      }
      var mirror = StoreMirror(token: try await store.token(scope: "device"))
      try mirror.pull(store.port)
      #expect(mirror.items.count == 8 + rounds && mirror.ids.values.allSatisfy { $0.count == 1 })
      try await Agreement.converge(devices, mirror, store)
      for screen in screens { try await screen.wait(for: "● live, all sent") }
      print("\(commands) commands")
    }
  }

  @Test("on a silent connection keys still work, and the header eventually shows the problem")
  func silence() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let device = try await scene.device("away", on: store, url: wire.url)
      let other = try await scene.device("home", on: store)
      for number in 1...2 { try await publisher.publish("Item \(number)", app: "app\(number)") }
      // Before the screen starts, which would announce new apps, and store that it did.
      try await device.succeed("sync")
      let screen = try await scene.screen(on: device)
      try await screen.wait(for: "●  app1", "●  app2", "● live, all sent")

      wire.set(.silence)
      try await screen.type("ggd")
      try await screen.wait(for: "the tray without what was dismissed") {
        !$0.contains("●  app2") && $0.contains("1 waiting")
      }
      try await publisher.publish("Item 3", app: "app3")
      try await screen.wait(for: "○ offline · 1 waiting", "Changes are saved and sent later.")
      try await screen.type("r")
      try await screen.wait(for: "○  app1", "○ offline · 2 waiting")

      // The old connections never deliver anything again.
      wire.set(.clear, keepsConnections: false)
      try await screen.type("R")
      try await screen.wait(for: "●  app3", "● live, all sent")
      try await other.succeed("sync")
      let item = try await other.waitForItem(titled: "Item 2", "dismissed") {
        $0.action == "dismissed"
      }
      #expect(item.handledBy == "away")
      var mirror = StoreMirror(token: try await store.token(scope: "device"))
      try mirror.pull(store.port)
      try await Agreement.converge([device, other], mirror, store)
    }
  }
}
