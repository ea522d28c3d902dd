import BellhopModel
import Glibc

/// The items as mail, one file each, for neomutt, aerc and notmuch.
enum MailFolder {
  /// Returns the folder of the mail, which contains the Maildir folder `box`.
  static func make(_ place: PeerPlace) throws -> String {
    try place.kept("maildir") { folder in
      for part in ["cur", "new", "tmp"] { try Files.makeFolder(folder + "/box/" + part) }
      let maker = ItemMaker(.plain, end: Workspace.now(), count: place.items)
      for index in 0..<place.items {
        // Programs that don't sort by date sort by file name.
        let digits = String(index)
        let name = String(repeating: "0", count: 9 - digits.count) + digits
        try Files.write(
          message(index, maker, lineEnd: "\n"), to: folder + "/box/cur/\(name).bench:2,S")
      }
    }
  }

  /// Returns item `index` as a message of RFC 5322.
  static func message(_ index: Int, _ maker: ItemMaker, lineEnd: String) -> String {
    let content = maker.content(index)
    return [
      "From: \(content.app) <noreply@\(content.app)>", "To: bench@example.com",
      "Date: \(date(index, maker, "%a, %d %b %Y %H:%M:%S +0000"))", "Message-ID: <\(index)@bench>",
      "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: 8bit", "Subject: \(content.visual?.title ?? "")", "",
      content.visual?.body ?? "", "",
    ].joined(separator: lineEnd)
  }

  /// Returns the arrival of item `index` in a format of `strftime`.
  static func date(_ index: Int, _ maker: ItemMaker, _ format: String) -> String {
    var seconds = time_t(maker.arrival(index).milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let length = strftime(&text, text.count, format, &parts)
    return String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
