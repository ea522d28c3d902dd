package import BellhopIdentity
internal import BellhopSettings
internal import BellhopWire
package import Logging

/// The keys of the table `identity-provider`: an identity provider.
extension SettingKey {
  static let identityProvider: [SettingKey] = provider + providerKeys

  /// Whose tokens are accepted, and what they mean.
  private static let provider: [SettingKey] = [
    SettingKey(
      path: "identity-provider.issuer",
      help: "The issuer's address, byte for byte as in its tokens. Without it there is none.",
      expected: "an https address, or http on this machine, such as \"https://id.example.com\"",
      written: { $0.issuer.map { "\"\($0)\"" } }, example: "\"https://id.example.com\"",
      set: { settings, value in
        guard let text = value.text, ProviderAddress.isIssuer(text) else { return false }
        settings.issuer = text
        settings.provider.issuer = text
        return true
      }),
    .texts(
      "identity-provider.audience", \.provider.audiences, example: "\"bellhop\"",
      "One of these must be in a token's aud: what the issuer calls this store. Needed."),
    .texts(
      "identity-provider.clients", \.provider.clients, example: "[\"bellhop\", \"ci\"]",
      "The azp, or client_id, of a token must be one of these. Else any is let in."),
    .text(
      "identity-provider.bellhop-client", \.provider.bellhopClient, example: "\"bellhop\"",
      "The client id that bellhop login is told to use at the issuer."),
    .text(
      "identity-provider.bellhop-scope", \.provider.bellhopScope,
      example: "\"openid bellhop.device offline_access\"",
      "The scopes bellhop login asks for; else openid and the device scope. Renewing may need "
        + "offline_access."),
    .text(
      "identity-provider.resource", \.provider.resource, example: "\"https://bellhop.example.com\"",
      "The resource (RFC 8707) that bellhop login names to the issuer, where it needs one."),
    .claim(
      "identity-provider.user-claim", \.provider.userClaim,
      "The claim that names the store's user. preferred_username only where people can't choose it."
    ),
    .flag(
      "identity-provider.add-users", \.provider.addsUsers,
      "Whether users whom the store does not know are added at their first sign-in."),
    .texts(
      "identity-provider.scope-claims", \.provider.scopeClaims, example: "[\"scope\"]",
      "The claims that hold scopes; the first that is there counts."),
    .claim(
      "identity-provider.device-scope", \.provider.deviceScope,
      "The scope that lets a person's devices in."),
    .claim(
      "identity-provider.publish-scope", \.provider.publishScope,
      "The scope that lets publishers in; bellhop.publish:nas for the app nas."),
    .claim(
      "identity-provider.app-claim", \.provider.appClaim,
      "The claim that names a publisher's app, where the scope does not."),
    .claim(
      "identity-provider.session-claim", \.provider.sessionClaim,
      "The claim that tells sign-ins of one person apart, so that one alone can be revoked."),
    SettingKey(
      path: "identity-provider.algorithms", help: "How tokens may be signed.",
      expected: "a list of \(algorithmNames)",
      written: { settings in
        let names = SigningAlgorithm.allCases.filter(settings.provider.algorithms.contains)
        return "[" + names.map { "\"\($0.rawValue)\"" }.joined(separator: ", ") + "]"
      },
      set: { settings, value in
        guard let items = value.list, !items.isEmpty else { return false }
        let algorithms = items.compactMap { $0.text.flatMap(SigningAlgorithm.init(named:)) }
        guard algorithms.count == items.count else { return false }
        settings.provider.algorithms = Set(algorithms)
        return true
      }),
    .span(
      "identity-provider.leeway", \.provider.leeway, .zero ... .seconds(600),
      "How far the issuer's clock and this one may be apart."),
    .bytes(
      "identity-provider.token-bytes-max", \.provider.tokenBytesMax, 512...(64 << 10), "Of a token."
    ),
    .text(
      "identity-provider.ca-file", \.providerAuthorityFile, example: "\"/etc/bellhop/ca.pem\"",
      "Certificates (PEM) trusted when the issuer is asked, beside the system's."),
  ]

  private static let minute = Duration.seconds(60)
  private static let day = Duration.seconds(86_400)

  /// How the issuer's keys are kept.
  private static let providerKeys: [SettingKey] = [
    .span(
      "identity-provider.keys-life", \.providerKeys.life, minute...day,
      "How long the issuer's keys are fresh when its answer names no time."),
    .span(
      "identity-provider.keys-life-min", \.providerKeys.lifeMin, .seconds(1)...day,
      "At least so long, whatever the answer says."),
    .span(
      "identity-provider.keys-life-max", \.providerKeys.lifeMax, minute...(day * 30),
      "At most so long, whatever the answer says."),
    .span(
      "identity-provider.keys-revalidation", \.providerKeys.revalidation, .zero...day,
      "How long after that they are used while new ones are on their way."),
    .span(
      "identity-provider.keys-stale-max", \.providerKeys.staleMax, .zero...(day * 30),
      "How long they are used when the issuer does not answer."),
    .span(
      "identity-provider.keys-interval", \.providerKeys.interval, .seconds(1)...day,
      "The issuer is not asked more often."),
    .span(
      "identity-provider.answer-limit", \.providerKeys.answerLimit, .seconds(1)...minute,
      "An issuer that takes longer has not answered."),
    .span(
      "identity-provider.document-life", \.providerKeys.documentLife, minute...(day * 30),
      "How long the address of its keys is used."),
    .bytes(
      "identity-provider.document-bytes-max", \.providerKeys.documentBytesMax, 1024...(1 << 20),
      "Of its configuration."),
    .bytes(
      "identity-provider.key-set-bytes-max", \.providerKeys.keySetBytesMax, 1024...(4 << 20),
      "Of its keys."),
  ]

  private static var algorithmNames: String {
    SigningAlgorithm.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
  }

  /// The name of a claim or a scope.
  private static func claim(
    _ path: String, _ place: any Place<String>, _ help: String
  ) -> SettingKey {
    SettingKey(
      path: path, help: help, expected: "a name of 1 to 255 bytes without spaces",
      written: { "\"\($0[keyPath: place])\"" },
      set: { settings, value in
        guard let text = value.text, (1...255).contains(text.utf8.count),
          text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
        else { return false }
        settings[keyPath: place] = text
        return true
      })
  }

  static func flag(_ path: String, _ place: any Place<Bool>, _ help: String) -> SettingKey {
    SettingKey(
      path: path, help: help, expected: "true or false",
      written: { $0[keyPath: place] ? "true" : "false" },
      set: { settings, value in
        guard case .flag(let isOn) = value else { return false }
        settings[keyPath: place] = isOn
        return true
      })
  }
}

extension TOMLSetting {
  fileprivate var list: [TOMLSetting]? { if case .list(let items) = self { items } else { nil } }
}

extension StoreSettings {
  /// What no single key can say; empty when all is well.
  package var providerProblems: [String] {
    let standard = StoreSettings(version: server.version)
    if issuer == nil, provider != standard.provider || providerKeys != standard.providerKeys {
      return ["identity-provider.issuer is missing; the rest means nothing without it"]
    }
    if issuer != nil, provider.audiences.isEmpty {
      return ["identity-provider.audience is missing: what the issuer calls this store"]
    }
    return []
  }

  /// Settings that are allowed but deserve a second look, in words; logged at the start.
  package var providerWarnings: [String] {
    guard issuer != nil, provider.userClaim != "sub" else { return [] }
    return [
      "identity-provider.user-claim is \(provider.userClaim): a person for whom the provider puts "
        + "another user's name there becomes that user at the first sign-in. Use sub, unless the "
        + "provider lets no person choose that claim."
    ]
  }

  /// The identity provider that the settings name, asked for nothing yet.
  ///
  /// - Throws: ``ServerError`` when the file of certificates can't be used.
  package func makeIssuer(
    environment: ServerEnvironment, logger: Logger
  ) throws -> Issuer? {
    guard issuer != nil else { return nil }
    for warning in providerWarnings { logger.warning("\(warning)") }
    return Issuer(
      provider, policy: providerKeys,
      fetching: try ProviderHTTP(authorityFile: providerAuthorityFile),
      uptime: environment.elapsed,
      report: { failure in
        logger.warning(
          "identity provider", metadata: ["detail": .string(failure.description)])
      })
  }
}
