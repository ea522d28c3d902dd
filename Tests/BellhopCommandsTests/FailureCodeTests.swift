import BellhopClient
import BellhopSync
import Testing

@testable import BellhopCommands

@Suite("Exit codes of failed requests")
struct FailureCodeTests {
  private let unreadable = TransportError.cache("The sign-in cannot be read: the disk failed")

  @Test("a failing file on this machine exits with 74, whatever the command")
  func ownFiles() {
    #expect(Commands.notPublished(unreadable).exitCode == .inputOutput)
    #expect(Commands.notSignedIn(unreadable).exitCode == .inputOutput)
    #expect(Commands.refused(unreadable, "No token was created").exitCode == .inputOutput)
    #expect(ClientError(wrapping: unreadable)?.exitCode == .inputOutput)
    #expect(unreadable.refusalCode == .inputOutput)
  }

  @Test("the error names the failed file, and says that nothing was stored")
  func words() {
    #expect(
      Commands.notPublished(unreadable).description
        == "Not published: the sign-in cannot be read: the disk failed.\nNothing was stored.")
  }

  @Test("a store that does not answer exits with 69")
  func store() {
    #expect(Commands.notPublished(.timedOut).exitCode == .storeUnavailable)
    #expect(Commands.notSignedIn(.timedOut).exitCode == .storeUnavailable)
    #expect(ClientError(wrapping: TransportError.timedOut)?.exitCode == .storeUnavailable)
  }
}
