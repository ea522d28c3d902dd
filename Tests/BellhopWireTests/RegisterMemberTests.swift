import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopWire

@Suite("Registers on the wire")
struct RegisterMemberTests {
  @Test("every register has its members, and no two share one")
  func members() {
    let names = ItemRegister.all.flatMap {
      [$0.name, $0.changeName, $0.untilName].compactMap(\.self)
    }
    #expect(Set(names).count == names.count)
    // Required by `$select`.
    #expect(names.filter { ItemKey(rawValue: $0) == nil } == [])
  }

  @Test("each value of each register is read as it was written, with its previous value and author")
  func values() throws {
    let time = Timestamp(milliseconds: 1_795_000_000_500)
    for state in RegisterSamples.states(SequenceNumber(7), at: time) {
      var item = PayloadTests.bareItem()
      item.state = state
      for isSorted in [false, true] {
        let bytes = try WireJSON.encode(NotificationPayload(item), sortingKeys: isSorted)
        #expect(try WireJSON.decode(NotificationPayload.self, from: bytes).item == item)
      }
      let page = DeltaPayload(
        changes: [.state(item.id, state)], end: .complete(DeltaToken("t")), started: nil,
        sequence: SequenceNumber(9), epoch: Epoch("e"))
      #expect(try DeltaPayload(quickly: try WireJSON.encode(page)) == page)
      #expect(
        try WireJSON.decode(DeltaPayload.self, from: WireJSON.encode(page, sortingKeys: true))
          == page)
    }
  }

  @Test("an effect of rules is an object with sorted members, and so is the one before")
  func effects() throws {
    func text(_ item: UserNotification) throws -> String {
      String(decoding: try WireJSON.encode(NotificationPayload(item)), as: UTF8.self)
    }
    var item = PayloadTests.bareItem()
    let bare = try text(item)
    #expect(!bare.contains("applied"))
    var effect = AppliedEffect()
    (effect.isSilent, effect.level, effect.app) = (true, .low, "noise")
    let change = RegisterChange(
      at: Timestamp(seconds: 6), by: Author(kind: .device, id: "d", name: "D"), operation: nil)
    item.state.applied = item.state.applied.setting(effect, change: change)
    let members = #"{"priority":"low","silent":true,"targetHostName":"noise"}"#
    #expect(try text(item).contains(#","applied":\#(members),"appliedChange":{"#))
    #expect(try text(item).contains(#","previous":{}}"#))
    item.state.applied = item.state.applied.setting(.empty, change: change)
    #expect(try text(item).contains(#","applied":{},"appliedChange":{"#))
    #expect(try text(item).contains(#","previous":\#(members)}"#))
  }

  @Test("an operation's change keeps each value, and an invalid one is explained")
  func changes() throws {
    let time = Timestamp(milliseconds: 1_795_000_000_500)
    for state in RegisterSamples.states(SequenceNumber(7), at: time) {
      for register in ItemRegister.all {
        var change = StateChange()
        #expect(register.want(register.value(state.registers), &change))
        let bytes = try WireJSON.encode(change)
        #expect(try WireJSON.decode(StateChange.self, from: bytes) == change)
      }
    }
    func problem(_ json: String) -> WireError? {
      #expect(throws: WireError.self) {
        try WireJSON.decode(StateChange.self, from: Array(json.utf8))
      }
    }
    #expect(
      problem(#"{"readState":"seen"}"#)
        == .invalid(field: "readState", expectation: "one of unread, read"))
    #expect(
      problem(#"{"userActionState":"snoozed"}"#)
        == .invalid(
          field: "snoozedUntilDateTime", expectation: "a time with userActionState snoozed"))
    #expect(
      problem(#"{"snoozedUntilDateTime":"2026-11-21T06:12:04Z"}"#)
        == .invalid(field: "snoozedUntilDateTime", expectation: "userActionState with this member"))
    #expect(
      problem(#"{"kept":"yes"}"#) == .invalid(field: "kept", expectation: "true or false"))
    #expect(
      problem(#"{"applied":"none"}"#) == .invalid(field: "applied", expectation: "a JSON object"))
    let none = try WireJSON.encode(StateChange(applied: .empty))
    #expect(String(decoding: none, as: UTF8.self) == #"{"applied":{}}"#)
  }
}
