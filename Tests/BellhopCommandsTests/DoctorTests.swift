import Testing

@testable import BellhopCommands

/// The parts of `bellhop doctor` that need no store.
@Suite("The doctor")
struct DoctorTests {
  @Test("every check has a name and a title of its own")
  func names() {
    #expect(Set(DoctorCheck.all.map(\.id)).count == DoctorCheck.all.count)
    #expect(Set(DoctorCheck.all.map(\.title)).count == DoctorCheck.all.count)
    // Prerequisites of later checks come first.
    let order = DoctorCheck.all.map(\.id)
    let needed = ["configuration", "directories", "cache", "address", "store", "token", "device"]
    #expect(needed == order.filter(needed.contains))
  }

  @Test("the holder of a lock is found by the file's inode")
  func lockHolder() {
    let locks = """
      1: POSIX  ADVISORY  WRITE 11 08:01:77 0 EOF
      2: FLOCK  ADVISORY  WRITE 708 08:01:12345 0 EOF
      2: -> FLOCK  ADVISORY  WRITE 709 08:01:12345 0 EOF
      3: FLOCK  ADVISORY  WRITE 12 08:01:77 0 EOF
      """
    #expect(LockHolder.process(holding: 12_345, in: locks) == 708)
    #expect(LockHolder.process(holding: 77, in: locks) == 12)
    #expect(LockHolder.process(holding: 1, in: locks) == nil)
  }

  @Test("a clock difference names the clock that is ahead")
  func clocks() {
    #expect(
      ClockText.difference(.seconds(7300)) == "the store's clock is 2 h ahead of this machine's")
    #expect(
      ClockText.difference(.seconds(-90)) == "the store's clock is 90 s behind this machine's")
  }

  @Test("sequences that tmux does not pass on are reported with the lines that fix it")
  func multiplexer() {
    var settings = MultiplexerSettings(
      allowsPassthrough: "on", setsClipboard: "external", reportsFocus: "on", escapeTime: 25,
      term: "tmux-256color")
    #expect(settings.finding(notifies: true).grade == .ok)
    settings.allowsPassthrough = "off"
    #expect(settings.finding(notifies: false).grade == .ok)
    let kept = settings.finding(notifies: true)
    #expect(kept.grade == .warning)
    #expect(kept.advice == "In tmux.conf: set -g allow-passthrough on")
    let worst = MultiplexerSettings(
      allowsPassthrough: nil, setsClipboard: "off", reportsFocus: "off", escapeTime: 500,
      term: "xterm")
    #expect(
      worst.finding(notifies: true).advice
        == "In tmux.conf: set -g default-terminal tmux-256color; set -s set-clipboard on; "
        + "set -g focus-events on; set -s escape-time 25")
  }
}
