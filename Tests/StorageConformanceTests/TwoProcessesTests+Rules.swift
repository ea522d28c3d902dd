import BellhopModel
import BellhopStore
import Testing

extension TwoProcesses {
  /// Returns a third process, which has limits of its own.
  func joined(limits: StoreLimits) async throws -> StoreService {
    try await StoreService.open(
      .joining, on: backend, environment: Self.environment(clocks[0], seed: 3, uptime),
      limits: limits)
  }
}

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

  @Test("a rule that one process stored acts at the other with its next publication")
  func sharedRule() async throws {
    let both = try await TwoProcesses()
    let id = RuleID(high: 1, low: 1)
    func set(_ level: Priority, by service: StoreService) async throws {
      let definition = RuleTests.definition("noise") { $0.level = level }
      _ = try await service.change(id, RuleChange(definition: definition), for: both.user)
    }
    func levels(_ service: StoreService) async throws -> Set<Priority> {
      var levels: Set<Priority> = []
      // The rules are kept in memory after the first publication.
      for number in 0..<3 {
        levels.insert(try await both.publish("\(number)", by: service).effectivePriority)
      }
      return levels
    }
    try await set(.low, by: both.a)
    for service in both.services { #expect(try await levels(service) == [.low]) }
    try await set(.high, by: both.b)
    for service in both.services { #expect(try await levels(service) == [.high]) }
    _ = try await both.a.change(id, .removal, for: both.user)
    for service in both.services { #expect(try await levels(service) == [.normal]) }
  }

  @Test("two processes collapse one stream of publications into one item")
  func sharedRepeats() async throws {
    let both = try await TwoProcesses()
    var change = AppSettingsChange()
    change.repeats = .collapse
    _ = try await both.a.configure("ci", change, for: both.user)
    for _ in 0..<10 {
      async let first = both.publish("disk full", by: both.a)
      async let second = both.publish("disk full", by: both.b)
      _ = try await (first, second)
    }
    for service in both.services {
      let items = try await service.list(rows: 10, for: both.user).items
      #expect(items.map(\.repeats?.count) == [20])
    }
  }

  @Test("a rule that one process edits while another applies it acts as confirmed, or not at all")
  func appliedAndEdited() async throws {
    let both = try await TwoProcesses()
    for number in 0..<10 { try await both.publish("\(number)", by: both.a) }
    var limits = StoreLimits()
    limits.bulkChunkItemsMax = 2
    let slow = try await both.joined(limits: limits)
    let device = DeviceID("laptop")
    let token = try await both.a.mintToken(
      named: "laptop", scope: .device(device), for: both.user)
    _ = try await both.a.register(
      DeviceRegistration(id: device, name: "laptop", platform: "linux", channel: .signal),
      with: token.token.id, for: both.user)
    let id = RuleID(high: 1, low: 1)
    for round in 1...8 as ClosedRange<UInt64> {
      let definition = RuleTests.definition("round \(round)") { $0.isSilent = true }
      let rule = try await both.a.change(id, RuleChange(definition: definition), for: both.user)
      let operation = BellhopModel.Operation(
        id: OperationID(high: 2, low: round), applying: RuleReference(rule),
        through: try await both.a.position(of: both.user).sequence, at: both.clocks[0].now)
      let batch = OperationBatch(
        device: device, lineage: Lineage("l"),
        operations: [NumberedOperation(number: Int64(round), operation: operation)])
      let edit = RuleChange(definition: RuleTests.definition("edited", app: "nas"))
      async let applied = slow.apply(batch, for: both.user)
      async let edited = both.b.change(id, edit, for: both.user)
      let (result, _) = (try await applied.results.first, try await edited)
      #expect(result == .applied || result == .superseded)
      let items = try await both.a.list(rows: 100, for: both.user).items
      let acted = items.count { $0.state.applied.change?.operation == operation.id }
      #expect(acted == (result == .applied ? items.count : 0), "round \(round)")
      for item in items where result == .applied {
        #expect(item.state.applied.value.rules.map(\.rule) == [rule.mark])
      }
    }
  }
}
