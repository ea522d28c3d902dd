package import BellhopIdentity
internal import BellhopSettings
internal import BellhopWire
package import Logging

/// The settings of the table `identity-provider`.
extension StoreSettings {
  static let identityProvider: [Setting<StoreSettings>] = provider + providerKeys

  /// The issuer of accepted tokens, and their claims.
  private static let provider: [Setting<StoreSettings>] = [
    .text(
      "identity-provider.issuer", \.issuer,
      expected: "an https address, or http on this machine, such as \"https://id.example.com\"",
      example: "\"https://id.example.com\"",
      "The address of the issuer, byte for byte as in its tokens. Without it there is no provider.",
      where: ProviderAddress.isIssuer),
    .texts(
      "identity-provider.audience", \.provider.audiences, example: "\"bellhop\"",
      "The names of this store at the issuer. The aud of a token must contain one. Required."),
    .texts(
      "identity-provider.clients", \.provider.clients, example: "[\"bellhop\", \"ci\"]",
      "The accepted azp, or client_id, of a token. Without it, any is accepted."),
    .text(
      "identity-provider.bellhop-client", \.provider.bellhopClient, example: "\"bellhop\"",
      "The client id that bellhop login uses at the issuer."),
    .text(
      "identity-provider.bellhop-scope", \.provider.bellhopScope,
      example: "\"openid bellhop.device offline_access\"",
      "The scopes that bellhop login requests; else openid and the device scope. Renewing "
        + "tokens may need offline_access."),
    .text(
      "identity-provider.resource", \.provider.resource, example: "\"https://bellhop.example.com\"",
      "The resource (RFC 8707) that bellhop login requests, if the issuer needs one."),
    .claim(
      "identity-provider.user-claim", \.provider.userClaim,
      "The claim with the name of the user. Use preferred_username only if users cannot choose it."
    ),
    .flag(
      "identity-provider.add-users", \.provider.addsUsers,
      "Whether the store adds unknown users at their first sign-in."),
    .texts(
      "identity-provider.scope-claims", \.provider.scopeClaims, example: "[\"scope\"]",
      "The claims with scopes. The first that a token has counts."),
    .claim(
      "identity-provider.device-scope", \.provider.deviceScope,
      "The scope of devices."),
    .claim(
      "identity-provider.publish-scope", \.provider.publishScope,
      "The scope of publishers; bellhop.publish:nas for the app nas."),
    .claim(
      "identity-provider.app-claim", \.provider.appClaim,
      "The claim with the app of a publisher, if its scope has none."),
    .claim(
      "identity-provider.session-claim", \.provider.sessionClaim,
      "The claim that differs between the sign-ins of a user, so that each can be revoked alone."),
    .value(
      "identity-provider.algorithms", \.provider.algorithms,
      expected: "a list of "
        + SigningAlgorithm.allCases.map(\.rawValue).map(TOMLText.quoted)
        .joined(separator: ", "), "The accepted signature algorithms of tokens.",
      written: { algorithms in
        TOMLText.list(SigningAlgorithm.allCases.filter(algorithms.contains).map(\.rawValue))
      },
      read: { value in
        guard let items = value.list, !items.isEmpty else { return nil }
        return value.each { $0.text.flatMap(SigningAlgorithm.init(named:)) }.map { Set($0) }
      }),
    .span(
      "identity-provider.leeway", \.provider.leeway, .zero ... .seconds(600),
      "How far the clocks of the issuer and of this machine may be apart."),
    .bytes(
      "identity-provider.token-bytes-max", \.provider.tokenBytesMax, 512...(64 << 10),
      "The largest token."
    ),
    .text(
      "identity-provider.ca-file", \.providerAuthorityFile, example: "\"/etc/bellhop/ca.pem\"",
      "Certificates (PEM) that are trusted in requests to the issuer, beside the system's."),
  ]

  private static let minute = Duration.seconds(60)
  private static let day = Duration.seconds(86_400)

  /// The cache of the issuer's keys.
  private static let providerKeys: [Setting<StoreSettings>] = [
    .span(
      "identity-provider.keys-life", \.providerKeys.life, minute...day,
      "How long the keys of the issuer are fresh if its response gives no time."),
    .span(
      "identity-provider.keys-life-min", \.providerKeys.lifeMin, .seconds(1)...day,
      "The shortest time that keys are fresh, whatever the response gives."),
    .span(
      "identity-provider.keys-life-max", \.providerKeys.lifeMax, minute...(day * 30),
      "The longest time that keys are fresh, whatever the response gives."),
    .span(
      "identity-provider.keys-revalidation", \.providerKeys.revalidation, .zero...day,
      "How long after that the store uses keys while it fetches new ones."),
    .span(
      "identity-provider.keys-stale-max", \.providerKeys.staleMax, .zero...(day * 30),
      "How long the store uses keys if the issuer does not respond."),
    .span(
      "identity-provider.keys-interval", \.providerKeys.interval, .seconds(1)...day,
      "The shortest time between two requests for keys."),
    .span(
      "identity-provider.answer-limit", \.providerKeys.answerLimit, .seconds(1)...minute,
      "How long the issuer may take to respond."),
    .span(
      "identity-provider.document-life", \.providerKeys.documentLife, minute...(day * 30),
      "How long the store uses the address of the keys."),
    .bytes(
      "identity-provider.document-bytes-max", \.providerKeys.documentBytesMax, 1024...(1 << 20),
      "The largest configuration document of the issuer."),
    .bytes(
      "identity-provider.key-set-bytes-max", \.providerKeys.keySetBytesMax, 1024...(4 << 20),
      "The largest key set of the issuer."),
  ]
}

extension Setting<StoreSettings> {
  /// The name of a claim or a scope.
  fileprivate static func claim(
    _ path: String, _ place: any Place<String>, _ help: String
  ) -> Setting {
    value(
      path, place, expected: "a name of 1 to 255 bytes without spaces", help,
      written: TOMLText.quoted,
      read: { value in
        guard let text = value.text, (1...255).contains(text.utf8.count),
          text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
        else { return nil }
        return text
      })
  }
}

extension StoreSettings {
  /// The settings without which others have no effect.
  var providerProblems: [SettingError.Part] {
    let standard = StoreSettings(version: server.version)
    if issuer == nil, provider != standard.provider || providerKeys != standard.providerKeys {
      return [
        .init(
          "identity-provider.issuer", "is missing. The other settings of its table need it.")
      ]
    }
    if issuer != nil, provider.audiences.isEmpty {
      return [
        .init(
          "identity-provider.audience", "is missing. It is the name of this store at the issuer.")
      ]
    }
    return []
  }

  /// Warnings about settings that are allowed but risky. The store logs them at its start.
  package var providerWarnings: [String] {
    guard issuer != nil, provider.userClaim != "sub" else { return [] }
    return [
      "identity-provider.user-claim is \(provider.userClaim): if the provider lets users choose "
        + "that claim, one who chooses another user's name becomes that user at the first sign-in. "
        + "Use sub, unless the provider keeps users from choosing."
    ]
  }

  /// Makes the identity provider of the settings, without a request to it.
  ///
  /// - Throws: ``ServerError`` if the file of certificates cannot be used.
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
