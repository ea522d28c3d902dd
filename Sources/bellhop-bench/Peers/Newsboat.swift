import BellhopModel

/// The peer newsboat, with one feed. It starts with its list of feeds; a key opens the articles.
enum Newsboat {
  private static let title = "Benchfeed"

  static func list(_ place: PeerPlace) throws -> ListPeer {
    let path = try Files.installed("newsboat")
    let folder = try place.kept("newsboat") { folder in
      try Files.write(feed(place.items), to: folder + "/feed.xml")
      try Files.write("file://\(folder)/feed.xml\n", to: folder + "/urls")
      // Ctrl-D would delete all articles.
      try Files.write(
        """
        max-items 0
        auto-reload no
        refresh-on-startup no
        article-sort-order date-asc
        confirm-exit no
        unbind-key ^D
        bind-key j down

        """, to: folder + "/config")
      try Subprocess(
        path: path, arguments: arguments(folder) + ["-x", "reload"], directory: folder
      ).run()
    }
    return ListPeer(
      ScreenSubject(
        path: path, arguments: ["-q"] + arguments(folder), folder: folder, overview: title,
        pageKey: nil, quit: "Q"))
  }

  private static func arguments(_ folder: String) -> [String] {
    ["-u", folder + "/urls", "-C", folder + "/config", "-c", folder + "/cache.db"]
  }

  /// Returns an RSS 2.0 feed; the words of the items need no escaping.
  private static func feed(_ items: Int) -> String {
    let maker = ItemMaker(.plain, end: Workspace.now(), count: items)
    var text = """
      <?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>\(title)</title>
      <link>https://example.com/</link><description>measurements</description>

      """
    for index in 0..<items {
      let content = maker.content(index)
      let date = MailFolder.date(index, maker, "%a, %d %b %Y %H:%M:%S +0000")
      text += """
        <item><title>\(content.visual?.title ?? "")</title><guid>\(index)@bench</guid>\
        <link>https://example.com/\(index)</link><pubDate>\(date)</pubDate>\
        <description>\(content.visual?.body ?? "")</description></item>

        """
    }
    return text + "</channel></rss>\n"
  }
}
