import BellhopModel

/// The peer tig, with one commit per item.
enum Tig {
  static func list(_ place: PeerPlace) throws -> ListPeer {
    let path = try Files.installed("tig")
    let git = try Files.installed("git")
    let folder = try place.kept("commits") { folder in
      let maker = ItemMaker(.plain, end: Workspace.now(), count: place.items)
      var stream = ""
      for index in 0..<place.items {
        let content = maker.content(index)
        let time = maker.arrival(index).milliseconds / 1000
        let message = (content.visual?.title ?? "") + "\n\n" + (content.visual?.body ?? "") + "\n"
        stream += """
          commit refs/heads/main
          committer \(content.app) <noreply@\(content.app)> \(time) +0000
          data \(message.utf8.count)
          \(message)

          """
      }
      try Files.write(stream, to: folder + "/stream")
      try Subprocess(
        path: "/bin/sh",
        arguments: [
          "-c",
          "\(git) init -q -b main && \(git) fast-import --quiet < stream && rm stream && "
            + "\(git) reset -q",
        ], directory: folder
      ).run()
    }
    return ListPeer(ScreenSubject(path: path, folder: folder, quit: "Q"))
  }
}
