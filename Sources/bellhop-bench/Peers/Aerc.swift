/// The peer aerc, with a folder of mail.
enum Aerc {
  static func list(_ place: PeerPlace) throws -> ListPeer {
    let path = try Files.installed("aerc")
    let mail = try MailFolder.make(place)
    func subject(_ folder: String) -> ScreenSubject {
      ScreenSubject(
        path: path, environment: ["XDG_CONFIG_HOME": folder + "/config"], folder: folder,
        quit: ":quit -f\r")
    }
    let folder = try place.kept("aerc") { folder in
      try Files.makeFolder(folder + "/config/aerc")
      let accounts = folder + "/config/aerc/accounts.conf"
      try Files.write(
        """
        [bench]
        source = maildir://\(mail)
        default = box
        from = bench <bench@example.com>

        """, to: accounts)
      // It rejects an accounts file that other users can read.
      try Files.makePrivate(accounts)
      // The first start writes the rest of the configuration.
      try subject(folder).rehearse()
    }
    return ListPeer(subject(folder))
  }
}
