/// The peer neomutt, with a folder of mail and a full header cache.
enum Neomutt {
  static func list(_ place: PeerPlace) throws -> ListPeer {
    let path = try Files.installed("neomutt")
    let mail = try MailFolder.make(place)
    func subject(_ folder: String) -> ScreenSubject {
      ScreenSubject(
        path: path, arguments: ["-F", folder + "/muttrc", "-f", mail + "/box"], folder: folder,
        pageKey: "]", quit: "q")
    }
    let folder = try place.kept("neomutt") { folder in
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
      try subject(folder).rehearse()
    }
    return ListPeer(subject(folder))
  }
}
