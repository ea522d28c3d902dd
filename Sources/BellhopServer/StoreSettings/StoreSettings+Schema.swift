internal import BellhopSettings
internal import BellhopStore
internal import Logging

/// The settings of `bellhopd`. A new setting is one record in one of these lists; a test compares
/// them with the fields of ``ServerConfiguration`` and `StoreLimits`.
extension StoreSettings {
  static let schema = SettingsSchema(
    top + tls + databasePlace + serving + store + attachments + quotas + subscriptions + signIn
      + identityProvider + hooks + ntfy + [templates],
    tables: [
      ("tls", "Encryption of the addresses in listen. Set both or neither."),
      (
        "database",
        "A PostgreSQL database instead of a data directory: see bellhopd help postgresql."
      ),
      ("server", "The limits of requests, and the behaviour of the server."),
      ("store", "The limits of stored data, and how long the store keeps it."),
      ("sign-in", "How devices get their tokens with a code that a user approves."),
      (
        "identity-provider",
        "An OpenID Connect provider whose tokens are accepted beside the store's."
      ),
      ("hooks", "How web hooks are called."),
      ("ntfy", "How ntfy's clients are served."),
    ], former: former, listing: "bellhopd config default",
    check: { $0.tlsProblems + $0.providerProblems })

  /// A file with every setting, its help and its default that changes nothing.
  package static func documentation(version: String) -> String {
    schema.documentation(
      .defaults, of: StoreSettings(version: version),
      head: """
        # The configuration of bellhopd: bellhopd serve --config FILE
        # Every setting is optional. The lines below show the defaults, or an example.
        # Options of the command line override this file. Sizes: 300, "64 KiB", "1 MiB".
        # Times: "250ms", "25s", "10m", "12h", "30d".
        # Relative paths start at the folder of this file.

        """)
  }

  /// A file with the values in force.
  package var file: String { Self.schema.file(of: self) }

  private var tlsProblems: [SettingError.Part] {
    (certificate == nil) == (privateKey == nil)
      ? [] : [.init("tls", "must have both certificate and key, or neither.")]
  }

  private static let top: [Setting<StoreSettings>] = [
    .texts(
      "listen", \.listen, expected: "HOST:PORT, such as \"127.0.0.1:8642\" or \"[::1]:8642\"",
      example: "\"127.0.0.1:8642\"",
      "The addresses to listen on; port 0 is a free one. With a certificate they are encrypted, "
        + "except for those that begin with http://.",
      where: { Listener(address: $0) != nil }),
    .text(
      "unix", \.unix, example: "\"/run/bellhop/store.sock\"",
      "A socket file to listen on, also or instead. Only its owner may use it."),
    .text(
      "data", \.data, example: "\"/var/lib/bellhop\"",
      "The directory of the store's data; else $XDG_DATA_HOME/bellhop/store."),
    .text(
      "metrics-token-file", \.metricsTokenFile, example: "\"/etc/bellhop/metrics.token\"",
      "A file with a token of at least 16 characters that may read /metrics from anywhere. Only "
        + "its owner may be able to read the file."),
    .choice("log-level", \.logLevel, "The lowest level of messages to log."),
    .choice(
      "log-format", \.logFormat, "The format of the log; automatic: JSON except on a terminal."),
  ]

  private static let tls: [Setting<StoreSettings>] = [
    .text(
      "tls.certificate", \.certificate, example: "\"/etc/bellhop/fullchain.pem\"",
      "The certificate with its chain (PEM). The store reads it again on SIGHUP and bellhopd "
        + "reload."),
    .text(
      "tls.key", \.privateKey, example: "\"/etc/bellhop/privkey.pem\"",
      "Its private key (PEM) without a password, readable by its owner only."),
  ]
}
