import BellhopModel
import BellhopStore
import Testing

extension TwoProcessesTests {
  @Test("two processes change one rule: one of them is superseded")
  func racedRule() async throws {
    let both = try await TwoProcesses()
    let id = RuleID(high: 1, low: 1)
    let made = RuleChange(definition: RuleTests.definition("made"))
    let revision = try await both.a.change(id, made, for: both.user).revision
    /// Edits the rule as it was made, on a device that one of the processes serves.
    @Sendable func edit(
      _ number: UInt64, by service: StoreService
    ) async throws -> OperationResult? {
      let device = DeviceID("device-\(number)")
      let token = try await service.mintToken(
        named: device.rawValue, scope: .device(device), for: both.user)
      _ = try await service.register(
        DeviceRegistration(
          id: device, name: device.rawValue, platform: "linux", channel: .signal),
        with: token.token.id, for: both.user)
      let operation = BellhopModel.Operation(
        id: OperationID(high: 2, low: number), target: .rule(id),
        mutation: .changeRule(RuleChange(definition: RuleTests.definition("\(number)"))),
        expect: revision)
      let batch = OperationBatch(
        device: device, lineage: Lineage("l"),
        operations: [NumberedOperation(number: 1, operation: operation)])
      return try await service.apply(batch, for: both.user).results.first
    }
    async let first = edit(1, by: both.a)
    async let second = edit(2, by: both.b)
    let results = try await [first, second]
    #expect(results.count { $0 == .applied } == 1)
    #expect(results.count { $0 == .superseded } == 1)
    let winner = results[0] == .applied ? "1" : "2"
    for service in both.services {
      #expect(try await service.rules(of: both.user).map(\.definition.name) == [winner])
    }
  }
}
