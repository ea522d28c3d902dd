/// A peer that shows a long list in a terminal.
final class ListPeer: Peer {
  let subject: ScreenSubject

  init(_ subject: ScreenSubject) { self.subject = subject }

  func measure(_ plan: ScreenPlan) throws -> ScreenFigures {
    let firstStart = try subject.rehearse()
    var figures = try ScreenSession(subject: subject, plan: plan).run()
    figures.firstStart = firstStart
    return figures
  }

  /// Does nothing: the program has ended after each round.
  func stop() {}
}

/// A peer that shows its list and receives no input.
final class IdleList: Peer {
  private let terminal: Terminal

  init(_ peer: ListPeer) throws {
    terminal = try peer.subject.open()
    terminal.settle(quiet: .seconds(1))
  }

  func measure(_: Void) throws -> ProcessFigures { try ProcessFigures(of: terminal.processID) }

  func stop() { terminal.stop() }
}
