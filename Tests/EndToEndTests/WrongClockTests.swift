import BellhopTestSupport
import Testing

@Suite("A store on a machine whose clock is wrong", .realPrograms)
struct WrongClockTests {
  /// The environment of a store that starts 400 days ahead.
  ///
  /// - Parameter isSynchronized: Whether the kernel reports that clock as synchronised.
  private func ahead(isSynchronized: Bool) -> [String: String] {
    [
      "LD_PRELOAD": Programs.faults, "BELLHOP_FAULT_CLOCK": "\(400 * 86_400)",
      "BELLHOP_FAULT_SYNCHRONIZED": isSynchronized ? "1" : "0",
    ]
  }

  @Test("it keeps everything, reports it everywhere, and expires once the clock is confirmed")
  func ahead() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      try await publisher.publish("Backup finished")
      try await device.succeed("sync")
      try await store.stop()
      try await store.start(environment: ahead(isSynchronized: false))

      #expect(try await publisher.curl("/health").body.contains("\"implausible\""))
      let doctor = try await device.bellhop("doctor")
      #expect(doctor.output.contains("does not trust its clock"), "\(doctor.output)")
      let refused = try await store.administer(["expire"])
      #expect(refused.exitCode == 75, "\(refused.output)\(refused.errors)")
      let reader = try await store.reader()
      #expect(try await reader.storedItems().count == 1)

      let confirmed = try await store.administer(["expire", "--confirm"])
      #expect(confirmed.exitCode == 0, "\(confirmed.output)\(confirmed.errors)")
      #expect(confirmed.lines.first == "expired 1")
      #expect(try await publisher.curl("/health").body.contains("\"plausible\""))
    }
  }

  @Test("it trusts a clock that the kernel reports as synchronised")
  func synchronized() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      try await (try await store.publisher()).publish("Backup finished")
      try await store.stop()
      try await store.start(environment: ahead(isSynchronized: true))
      let outcome = try await store.administer(["expire"])
      #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
      #expect(try await store.reader().storedItems().isEmpty)
    }
  }
}
