import BellhopModel
import Glibc

/// Programs that people know, over lists as long as ours: mail in neomutt, commits in tig.
struct ScreenPeers {
  let bench: Bench

  /// The installed ones, with data of `items`; and a word for each that is not.
  func subjects(items: Int) -> (installed: [ScreenSubject], absent: [Line.Peer]) {
    var installed: [ScreenSubject] = []
    var absent: [Line.Peer] = []
    for (name, make) in [("neomutt", neomutt), ("tig", tig)] {
      guard let path = Files.program(name) else {
        absent.append(.absent(name: name, reason: "not installed"))
        continue
      }
      do {
        installed.append(try make(path, items))
      } catch {
        absent.append(.absent(name: name, reason: "\(error)"))
      }
    }
    return (installed, absent)
  }

  // MARK: neomutt

  private func neomutt(_ path: String, _ items: Int) throws -> ScreenSubject {
    let folder = bench.workspace.root + "/mail-\(items)"
    let subject = ScreenSubject(
      name: "neomutt", path: path,
      arguments: ["-F", folder + "/muttrc", "-f", folder + "/box"], folder: folder,
      pageKey: "]", quit: "q")
    guard !Files.exists(folder + "/made") else { return subject }
    Files.remove(folder)
    for part in ["cur", "new", "tmp"] { try Files.makeFolder(folder + "/box/" + part) }
    let maker = ItemMaker(end: Workspace.now(), count: items)
    for index in 0..<items {
      try Files.write(mail(index, maker), to: folder + "/box/cur/\(index).bench:2,S")
    }
    try Files.write(
      """
      set header_cache="\(folder)/headers"
      set sort=reverse-date
      set mail_check_stats=no
      set timeout=600
      set sleep_time=0
      set quit=yes
      set confirmappend=no
      set menu_scroll=yes
      set folder="\(folder)"

      """, to: folder + "/muttrc")
    // The first start fills the header cache.
    let terminal = try Terminal(
      path, subject.arguments, environment: Terminal.environment(home: folder), directory: folder)
    try terminal.wait(for: ItemMaker.newestMark, within: .seconds(300))
    terminal.settle(quiet: .milliseconds(500))
    terminal.send("q")
    terminal.settle(quiet: .seconds(1))
    terminal.stop()
    try Files.write("", to: folder + "/made")
    return subject
  }

  private func mail(_ index: Int, _ maker: ItemMaker) -> String {
    let content = maker.content(index)
    return """
      From: \(content.app) <noreply@\(content.app)>
      To: bench@example.com
      Date: \(date(index, maker))
      Message-ID: <\(index)@bench>
      MIME-Version: 1.0
      Content-Type: text/plain; charset=utf-8
      Content-Transfer-Encoding: 8bit
      Subject: \(content.visual?.title ?? "")

      \(content.visual?.body ?? "")

      """
  }

  private func date(_ index: Int, _ maker: ItemMaker) -> String {
    var seconds = time_t(maker.arrival(index).milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let length = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S +0000", &parts)
    return String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  // MARK: tig

  private func tig(_ path: String, _ items: Int) throws -> ScreenSubject {
    guard let git = Files.program("git") else { throw BenchError("git is not installed") }
    let folder = bench.workspace.root + "/commits-\(items)"
    let subject = ScreenSubject(name: "tig", path: path, folder: folder, quit: "Q")
    guard !Files.exists(folder + "/made") else { return subject }
    Files.remove(folder)
    try Files.makeFolder(folder)
    let maker = ItemMaker(end: Workspace.now(), count: items)
    var stream: [UInt8] = []
    for index in 0..<items {
      let content = maker.content(index)
      let time = maker.arrival(index).milliseconds / 1000
      let message = (content.visual?.title ?? "") + "\n\n" + (content.visual?.body ?? "") + "\n"
      stream += Array(
        """
        commit refs/heads/main
        committer \(content.app) <noreply@\(content.app)> \(time) +0000
        data \(message.utf8.count)
        \(message)

        """.utf8)
    }
    try Files.write(String(decoding: stream, as: UTF8.self), to: folder + "/stream")
    let terminal = try Terminal(
      "/bin/sh",
      [
        "-c",
        "\(git) init -q -b main && \(git) fast-import --quiet < stream && rm stream && "
          + "\(git) reset -q && echo finished",
      ], environment: Terminal.environment(home: folder), directory: folder)
    try terminal.wait(for: "finished", within: .seconds(300))
    terminal.stop()
    try Files.write("", to: folder + "/made")
    return subject
  }
}
