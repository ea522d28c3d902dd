import TerminalReader

/// Two screens of one user, each with a real client.
final class ScreenPair {
  private static let quiet = Duration.milliseconds(60)

  private let desktop: Terminal
  private let laptop: Terminal
  private var serial = 0

  /// Starts the clients, and returns after their first synchronisation.
  ///
  /// - Parameters:
  ///   - servers: The servers of the desktop and of the laptop.
  ///   - tokens: The tokens of both, in this order.
  init(
    _ workspace: Workspace, servers: (desktop: Server, laptop: Server), tokens: [String],
    folder: String
  ) throws {
    desktop = try Self.client("desktop", tokens[0], workspace, servers.desktop, folder)
    laptop = try Self.client("laptop", tokens[1], workspace, servers.laptop, folder)
  }

  deinit { stop() }

  func stop() {
    desktop.stop()
    laptop.stop()
  }

  /// Returns a word that is not yet on the screens.
  func newMark() -> String {
    serial += 1
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    return String(
      (0..<12).map { letters[(serial * 7 + $0 * (3 + serial / 26)) % letters.count] })
  }

  /// Waits until both screens show an item.
  ///
  /// - Returns: The time at which the laptop showed it.
  func waitForArrival(of mark: String) throws -> ContinuousClock.Instant {
    let seen = try laptop.wait(toShow: mark, within: .seconds(10))
    try desktop.wait(toShow: mark, within: .seconds(10))
    settle()
    return seen
  }

  /// Dismisses the newest item on the desktop, and waits until the laptop no longer shows it.
  ///
  /// The client writes the window's title, with the number of unread items, right after that frame.
  func dismiss() throws -> Duration {
    desktop.send("gg")
    settle()
    let title = laptop.screen?.title
    let start = ContinuousClock().now
    desktop.send("d")
    let seen = try laptop.wait(for: "another title", within: .seconds(10)) { $0.title != title }
    settle()
    return seen - start
  }

  private func settle() {
    laptop.settle(quiet: Self.quiet)
    desktop.settle(quiet: Self.quiet)
  }

  /// Starts a client, and returns after its first synchronisation, with the cursor off the newest
  /// item.
  private static func client(
    _ name: String, _ token: String, _ workspace: Workspace, _ server: Server, _ folder: String
  ) throws -> Terminal {
    let home = Home(root: folder + "/" + name)
    let terminal = try home.openScreen(of: workspace, at: server, token: token, device: name)
    try terminal.wait(toShow: ItemMaker.newestMark)
    try terminal.wait(toShow: "live")
    terminal.settle(quiet: .milliseconds(1500))
    terminal.send("jj")
    terminal.settle(quiet: quiet)
    return terminal
  }
}
