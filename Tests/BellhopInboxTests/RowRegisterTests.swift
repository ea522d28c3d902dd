import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopInbox

@Suite("Registers in the lines of lists")
struct RowRegisterTests {
  private static let time = Timestamp(seconds: 1_790_000_000)

  private func row(_ state: ItemState) -> RowSummary {
    let item = UserNotification(
      id: NotificationID(high: 1, low: 1), shortNumber: 1, created: Self.time, arrival: Self.time,
      content: Content(app: "ci", visual: VisualContent(title: "a")), state: state)
    return RowSummary(
      item, account: AccountName("home"), order: 1, isWaiting: false, at: Self.time, on: .utc)
  }

  @Test("a line has each value of each register, also after a change that sets it")
  func values() {
    let sequence = SequenceNumber(1)
    let untouched = ItemState(
      sequence: sequence, contentSequence: sequence, changed: Self.time)
    for state in RegisterSamples.states(sequence, at: Self.time) {
      let change = row(state).registers
      for register in ItemRegister.all {
        #expect(register.wanted(change) == register.value(state.registers), "\(register.name)")
      }
      #expect(row(untouched).setting(change, at: Self.time).registers == change)
    }
  }
}
