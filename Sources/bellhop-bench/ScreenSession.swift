import Glibc

/// A program that shows a long list, with the keys to use it.
struct ScreenSubject {
  var path: String
  var arguments: [String] = []
  var environment: [String: String] = [:]
  var folder: String
  /// A text on its first screen, if that is not the list; Enter then opens the list.
  var overview: String?
  /// The keys from the first screen to the list that is scrolled.
  var approach: String?
  /// The keys that scroll by a line and by half a page.
  var lineKey = "j"
  var pageKey: String? = "\u{4}"
  /// The key that opens incremental search; nil if the program has none.
  var searchKey: String?
  var quit: String

  /// Starts the program.
  func open() throws -> Terminal {
    try Terminal(
      path, arguments, environment: Terminal.environment(home: folder, adding: environment),
      directory: folder)
  }

  /// Starts the program, and ends it once its list is shown.
  ///
  /// The program then has written the files of its first start, and the machine's caches contain
  /// what it reads.
  ///
  /// - Returns: The time until the list was shown, in milliseconds.
  @discardableResult
  func rehearse() throws -> Double {
    let terminal = try open()
    defer { terminal.stop() }
    if let overview {
      try terminal.wait(for: overview)
      terminal.send("\r")
    }
    let painted = try terminal.wait(for: ItemMaker.newestMark, within: .seconds(300))
    terminal.settle(quiet: .milliseconds(500))
    terminal.send(quit)
    terminal.settle(quiet: .seconds(1))
    return (painted - terminal.started).inMilliseconds
  }
}

/// The actions in one run of a program.
struct ScreenPlan {
  var onlyStart: Bool
  var lineKeys: Int
  var pageKeys: Int
  /// The texts to search for, typed letter by letter.
  var searches: [String]
}

/// The figures of one run of a program: times in milliseconds, memory in MB.
struct ScreenFigures {
  /// The time until the list was painted.
  var start = 0.0
  /// The same for the previous start, after other programs had run for a while.
  var firstStart = 0.0
  /// The time until the first screen was painted, if that is not the list; nil otherwise.
  var overview: Double?
  var residentAtStart = 0.0
  var residentAfter = 0.0
  var residentGreatest = 0.0
  var anonymousAfter = 0.0
  /// The times from a key to the last byte painted.
  var keys = Samples()
  var bytesPerLine = Samples()
  var bytesPerPage = Samples()
  var searches = Samples()
}

/// One run of a program in a pseudo-terminal: start, scroll, search, quit.
struct ScreenSession {
  var subject: ScreenSubject
  var plan: ScreenPlan

  /// The longest gap between a key and its output, and within that output.
  private static let quiet = Duration.milliseconds(25)
  private static let searchQuiet = Duration.milliseconds(120)

  /// Runs the program.
  ///
  /// - Throws: ``BenchError`` if the program does not show its list.
  func run() throws -> ScreenFigures {
    var figures = ScreenFigures()
    let terminal = try subject.open()
    defer { terminal.stop() }
    if let overview = subject.overview {
      let painted = try terminal.wait(for: overview)
      figures.overview = (painted - terminal.started).inMilliseconds
      terminal.send("\r")
    }
    let painted = try terminal.wait(for: ItemMaker.newestMark)
    figures.start = (painted - terminal.started).inMilliseconds
    terminal.settle(quiet: .milliseconds(400))
    figures.residentAtStart = try ProcessFigures(of: terminal.processID).resident
    if !plan.onlyStart {
      if let approach = subject.approach {
        terminal.send(approach)
        terminal.settle(quiet: .milliseconds(200))
      }
      for _ in 0..<plan.lineKeys {
        if let bytes = press(subject.lineKey, terminal, &figures.keys, Self.quiet) {
          figures.bytesPerLine.add(Double(bytes))
        }
      }
      if let pageKey = subject.pageKey {
        for _ in 0..<plan.pageKeys {
          if let bytes = press(pageKey, terminal, &figures.keys, Self.quiet) {
            figures.bytesPerPage.add(Double(bytes))
          }
        }
      }
      if subject.searchKey != nil { search(terminal, &figures) }
    }
    let end = try ProcessFigures(of: terminal.processID)
    figures.residentAfter = end.resident
    figures.residentGreatest = end.residentGreatest
    figures.anonymousAfter = end.anonymous
    terminal.send(subject.quit)
    terminal.settle(quiet: .milliseconds(50), within: .seconds(2))
    return figures
  }

  /// Sends a key and waits for its output.
  ///
  /// - Returns: The number of bytes; nil if there was no output, as at the end of a list.
  private func press(
    _ key: String, _ terminal: Terminal, _ samples: inout Samples, _ quiet: Duration
  ) -> Int? {
    terminal.forget()
    let sent = ContinuousClock().now
    terminal.send(key)
    guard let (last, bytes) = terminal.settle(quiet: quiet, within: .seconds(5)) else { return nil }
    samples.add(last - sent)
    return bytes
  }

  private func search(_ terminal: Terminal, _ figures: inout ScreenFigures) {
    for words in plan.searches {
      terminal.send(subject.searchKey ?? "")
      terminal.settle(quiet: Self.searchQuiet)
      for letter in words {
        _ = press(String(letter), terminal, &figures.searches, Self.searchQuiet)
      }
      terminal.send("\u{1b}")
      terminal.settle(quiet: .milliseconds(200))
    }
  }
}
