import BellhopModel
import BellhopSync
import Testing

@Suite struct StoreClockTests {
  static let start = Timestamp(seconds: 1_800_000_000)

  static func time(_ milliseconds: Int64) -> Timestamp {
    Timestamp(milliseconds: start.milliseconds + milliseconds)
  }

  /// The header of an answer at that time, in whole seconds.
  static func header(_ time: Timestamp) -> Timestamp {
    Timestamp(seconds: time.milliseconds / 1000)
  }

  @Test("a correct clock is not changed")
  func right() {
    var clock = StoreClock()
    for step in 0..<50 {
      let sent = Self.time(Int64(step) * 777)
      let answered = sent.advanced(by: .milliseconds(40))
      clock.observe(
        date: Self.header(answered), sent: sent, received: sent.advanced(by: .milliseconds(80)))
    }
    #expect(clock.offset == .zero)
  }

  @Test("a clock that is a day off is corrected to under a second, and better with every answer")
  func dayOff() {
    var clock = StoreClock()
    let day: Int64 = 86_400_000
    for step in 0..<50 {
      let local = Self.time(Int64(step) * 777)
      let answered = Timestamp(milliseconds: local.milliseconds + day + 10)
      clock.observe(
        date: Self.header(answered), sent: local, received: local.advanced(by: .milliseconds(20)))
    }
    #expect(abs(clock.offset.milliseconds - day) < 100)
  }

  @Test("when the clock is set meanwhile, the latest answer counts")
  func stepped() {
    var clock = StoreClock()
    clock.observe(date: Self.time(0), sent: Self.time(0), received: Self.time(10))
    #expect(clock.offset == .zero)
    let wrong = Self.time(3_600_000)
    let isChanged = clock.observe(date: Self.time(1000), sent: wrong, received: wrong)
    #expect(isChanged)
    #expect(abs(clock.offset.milliseconds + 3_599_000) < 1000)
  }

  @Test("a very slow answer is not used")
  func slow() {
    var clock = StoreClock()
    let isChanged = clock.observe(
      date: Self.time(0), sent: Self.time(0), received: Self.time(20_000))
    #expect(!isChanged)
  }
}
