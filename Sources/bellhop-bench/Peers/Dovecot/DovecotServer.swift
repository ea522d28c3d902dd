import Glibc

/// A private dovecot server, with a mailbox of one message per item.
final class DovecotServer {
  private let user: UnprivilegedUser
  private let server: Server

  /// The number of messages appended in one command, which becomes durable as a whole.
  private static let messagesInCommand = 1000

  init(_ place: PeerPlace) throws {
    // Root may not read mail, and is not needed to run any part of dovecot.
    user = try UnprivilegedUser(["dovecot", "nobody"], "dovecot", place.workspace)
    do {
      let port = try Server.freePort()
      let configuration = try user.write(
        Self.configuration(user, port), to: "dovecot.conf")
      server = try Server(
        user.command(try Files.installed("dovecot"), ["-F", "-c", configuration]),
        folder: user.folder, port: port)
      try fill(place.items)
    } catch {
      user.removeFolder()
      throw error
    }
  }

  func stop() {
    server.stop()
    user.removeFolder()
  }

  /// Connects a client and signs it in.
  func client() throws -> IMAPClient { try IMAPClient(port: server.port) }

  /// Fills the mailbox with the items, and its cache with their envelopes, as after some days of
  /// use.
  private func fill(_ items: Int) throws {
    let client = try client()
    let maker = ItemMaker(.plain, end: Workspace.now(), count: items)
    for start in stride(from: 0, to: items, by: Self.messagesInCommand) {
      var command = Array("APPEND INBOX".utf8)
      for index in start..<min(start + Self.messagesInCommand, items) {
        let message = Array(MailFolder.message(index, maker, lineEnd: "\r\n").utf8)
        let date = MailFolder.date(index, maker, "%d-%b-%Y %H:%M:%S +0000")
        command += Array(" (\\Seen) \"\(date)\" {\(message.count)+}\r\n".utf8) + message
      }
      try client.ask(command)
    }
    try client.select()
    guard try client.fetchAll().messages == items else {
      throw BenchError("the mailbox does not hold \(items) messages")
    }
  }

  /// Returns a configuration that runs all services as one user, without chroot, in one folder.
  private static func configuration(_ user: UnprivilegedUser, _ port: UInt16) -> String {
    let parts = ["anvil", "stats"].map { "service \($0) {\n  chroot =\n}\n" }.joined()
    return """
      base_dir = \(user.folder)/run
      state_dir = \(user.folder)/run
      log_path = \(user.folder)/messages
      protocols = imap
      ssl = no
      disable_plaintext_auth = no
      default_internal_user = \(user.userName)
      default_internal_group = \(user.groupName)
      default_login_user = \(user.userName)
      first_valid_uid = 1
      first_valid_gid = 1
      mail_location = mdbox:\(user.folder)/mail
      mdbox_rotate_size = 64M
      passdb {
        driver = static
        args = password=bench
      }
      userdb {
        driver = static
        args = uid=\(user.userName) gid=\(user.groupName) home=\(user.folder)/home
      }
      service imap-login {
        chroot =
        inet_listener imap {
          address = 127.0.0.1
          port = \(port)
        }
        inet_listener imaps {
          port = 0
        }
      }
      \(parts)
      """
  }
}
