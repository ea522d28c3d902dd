import BellhopClient
import BellhopTestSupport
import Testing

@testable import BellhopCommands

@Suite("The systemd unit of the agent")
struct AgentUnitTests {
  @Test("every word reaches systemd's unit unchanged")
  func unit() throws {
    try TemporaryFolder.with { folder in
      let context = try ClientContext(
        directories: Directories(root: folder),
        environment: ["XDG_STATE_HOME": "/home/a b/100%"], account: "ho\"me", usesPolling: nil)
      let unit = Commands.unit(program: "/opt/$x/bellhop", context)
      #expect(
        unit.contains("ExecStart=\"/opt/$$x/bellhop\" \"agent\" \"--account\" \"ho\\\"me\"\n"))
      #expect(unit.contains("Environment=\"XDG_STATE_HOME=/home/a b/100%%\"\n"))
      #expect(unit.contains("\n[Install]\nWantedBy=default.target\n"))
    }
  }
}
