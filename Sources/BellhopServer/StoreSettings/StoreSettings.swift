package import BellhopIdentity
package import BellhopSettings
package import BellhopStore
package import Logging

/// The values of the configuration file of `bellhopd`. Every setting is optional.
package struct StoreSettings: Sendable {
  /// The format of log lines.
  package enum LogFormat: String, Sendable, CaseIterable {
    /// Plain on a terminal, else JSON.
    case automatic
    case json
    case plain
  }

  /// The addresses to listen on; empty for the default of the program.
  package var listen: [String] = []
  /// The socket file to listen on, also or instead.
  package var unix: String?
  /// The directory of the store's data.
  package var data: String?
  /// The database of the store's data, whose address wins over ``data``.
  package var database = DatabaseSettings()
  /// The files of the certificate chain and of the private key, for TLS.
  package var certificate: String?
  package var privateKey: String?
  /// The file whose one line is the token for `/metrics`.
  package var metricsTokenFile: String?
  package var logLevel = Logger.Level.info
  package var logFormat = LogFormat.automatic
  package var server: ServerConfiguration
  package var limits = StoreLimits()
  /// The issuer of accepted tokens; nil if the store accepts only its own.
  package var issuer: String? {
    get { provider.issuer.isEmpty ? nil : provider.issuer }
    set { provider.issuer = newValue ?? "" }
  }
  /// The rules for tokens of the issuer, which is empty if there is none.
  package var provider = IssuerRules(issuer: "", audiences: [])
  package var providerKeys = KeyCachePolicy()
  /// The file of certificates that requests to the issuer trust, beside the system's.
  package var providerAuthorityFile: String?

  /// The defaults.
  package init(version: String) {
    server = ServerConfiguration(version: version)
  }

  /// Prefixes relative paths with `folder`.
  package mutating func resolvePaths(below folder: String) {
    func resolved(_ path: String?) -> String? {
      guard let path, !path.hasPrefix("/") else { return path }
      return folder + "/" + path
    }
    unix = resolved(unix)
    providerAuthorityFile = resolved(providerAuthorityFile)
    data = resolved(data)
    if case .folder(let path) = database.attachments {
      database.attachments = .folder(resolved(path) ?? path)
    }
    server.hooks.trustFile = resolved(server.hooks.trustFile)
    certificate = resolved(certificate)
    privateKey = resolved(privateKey)
    metricsTokenFile = resolved(metricsTokenFile)
  }

  /// Reads a file; returns its settings and everything that is wrong, in the order of its lines.
  package static func read(
    _ text: String, version: String
  ) -> (settings: StoreSettings, findings: [ConfigurationFinding]) {
    var settings = StoreSettings(version: version)
    let findings = schema.read(text, SettingLines(text), into: &settings)
    return (settings, findings)
  }
}
