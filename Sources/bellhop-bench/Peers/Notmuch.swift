/// The peer notmuch, with indexed mail. Each search is a process, as its editor front ends start
/// it.
final class Notmuch: Peer {
  private let path: String
  private let folder: String

  init(_ place: PeerPlace) throws {
    path = try Files.installed("notmuch")
    let mail = try MailFolder.make(place)
    folder = try place.kept("notmuch") { [path] folder in
      try Files.write(
        """
        [database]
        path=\(folder)
        mail_root=\(mail)
        [user]
        name=bench
        primary_email=bench@example.com
        [new]
        tags=
        ignore=
        [maildir]
        synchronize_flags=false

        """, to: folder + "/config")
      try Self.command(path, ["new", "--quiet"], folder).run()
    }
  }

  /// Searches for each of the words as typed so far: the last one may be incomplete.
  func measure(_ words: [String]) throws -> Samples {
    var samples = Samples()
    for word in words {
      let search = Self.command(path, ["search", "--limit=80", word + "*"], folder)
      samples.add(try timed { try search.run() })
    }
    return samples
  }

  func stop() {}

  private static func command(_ path: String, _ arguments: [String], _ folder: String) -> Subprocess
  {
    Subprocess(
      path: path, arguments: arguments, directory: folder,
      environment: ["NOTMUCH_CONFIG": folder + "/config"])
  }
}
