package import BellhopIdentity
internal import BellhopModel
internal import BellhopSettings
package import BellhopStore
package import Logging

/// What a store's configuration file says. Every key is optional; unknown ones are errors.
package struct StoreSettings: Sendable {
  /// How log lines look.
  package enum LogFormat: String, Sendable, CaseIterable {
    /// Words on a terminal, else JSON.
    case automatic
    case json
    case plain
  }

  /// Addresses to listen on; none leaves the choice to the program.
  package var listen: [String] = []
  /// Also, or instead, listen on this socket file.
  package var unix: String?
  /// The directory of the store's data.
  package var data: String?
  /// Certificate chain and private key, for TLS.
  package var certificate: String?
  package var privateKey: String?
  /// A file whose one line is the token for `/metrics`.
  package var metricsTokenFile: String?
  package var logLevel = Logger.Level.info
  package var logFormat = LogFormat.automatic
  package var server: ServerConfiguration
  package var limits = StoreLimits()
  /// Whose tokens are accepted; nil for the store's own only.
  package var issuer: String?
  /// The same with what its tokens mean; empty issuer where there is none.
  package var provider = IssuerRules(issuer: "", audiences: [])
  package var providerKeys = KeyCachePolicy()
  /// Certificates that are trusted when the issuer is asked, beside the system's.
  package var providerAuthorityFile: String?

  /// The defaults.
  package init(version: String) {
    server = ServerConfiguration(version: version)
  }

  /// Makes relative paths count from `folder`.
  package mutating func resolvePaths(below folder: String) {
    func resolved(_ path: String?) -> String? {
      guard let path, !path.hasPrefix("/") else { return path }
      return folder + "/" + path
    }
    unix = resolved(unix)
    providerAuthorityFile = resolved(providerAuthorityFile)
    data = resolved(data)
    server.hooks.trustFile = resolved(server.hooks.trustFile)
    certificate = resolved(certificate)
    privateKey = resolved(privateKey)
    metricsTokenFile = resolved(metricsTokenFile)
  }

  /// What is wrong in a configuration file.
  package struct Problem: ExplainedError, Hashable, Sendable {
    /// From 1; nil when it belongs to no line.
    package var line: Int?
    package var message: String

    package init(line: Int?, message: String) {
      self.line = line
      self.message = message
    }

    package var description: String { line.map { "line \($0): " + message } ?? message }
  }

  /// What `text` says, and everything that is wrong with it, in the order of its lines.
  package static func read(
    _ text: String, version: String
  ) -> (settings: StoreSettings, problems: [Problem]) {
    var settings = StoreSettings(version: version)
    let (table, failures) = TOMLSource.read(text)
    let lines = SettingLines(text)
    var problems = failures.map { Problem(line: $0.line, message: $0.problem) }
    func complain(_ path: String, _ message: String) {
      problems.append(Problem(line: lines.line(of: path), message: message))
    }
    apply(table, below: "", to: &settings, complain: complain)
    if (settings.certificate == nil) != (settings.privateKey == nil) {
      complain("tls", "tls needs both certificate and key")
    }
    problems.sort { ($0.line ?? 0, $0.message) < ($1.line ?? 0, $1.message) }
    return (settings, problems)
  }

  private static func apply(
    _ table: [String: TOMLSetting], below prefix: String, to settings: inout StoreSettings,
    complain: (_ path: String, _ message: String) -> Void
  ) {
    for (name, value) in table {
      let path = prefix + name
      if let key = SettingKey.named[path] {
        if !key.set(&settings, value) { complain(path, "\(path) is to be \(key.expected)") }
      } else if SettingKey.sections.contains(where: { $0.name == path }) {
        if let inner = value.table {
          apply(inner, below: path + ".", to: &settings, complain: complain)
        } else {
          complain(path, "\(path) is a table: write [\(path)]")
        }
      } else {
        complain(path, unknown(path))
      }
    }
  }

  private static func unknown(_ path: String) -> String {
    let known = SettingKey.all.map(\.path) + SettingKey.sections.map(\.name)
    // A key in the wrong table is found by its own name.
    let moved = known.first { $0.hasSuffix("." + (path.split(separator: ".").last ?? "")) }
    let shown = path.prefix(64)
    guard let meant = Spelling.nearest(path, in: known) ?? moved else {
      return "\(shown) is not a setting; bellhopd config default shows all"
    }
    return "\(shown) is not a setting; did you mean \(meant)?"
  }
}
