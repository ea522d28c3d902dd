internal import BellhopModel
internal import BellhopSettings
internal import BellhopStore

/// The keys of the table `hooks`, and what the table `store` says of subscriptions.
extension SettingKey {
  static let hooks: [SettingKey] = [
    .list(
      "hooks.allowed-networks", \.server.hooks.allowedNetworks, example: "[\"10.0.0.0/8\"]",
      expected: "a network such as \"10.0.0.0/8\", or a list of them",
      "Networks that hooks may be in although they are private or otherwise special.",
      write: { "\"\($0)\"" }, read: { $0.text.flatMap { IPNetwork($0) } }),
    SettingKey(
      path: "hooks.allows-plain",
      help: "Whether hooks may be called by plain HTTP, which everybody on the way can read.",
      expected: "true or false", written: { String($0.server.hooks.allowsPlain) },
      set: { settings, value in
        guard let flag = value.flag else { return false }
        settings.server.hooks.allowsPlain = flag
        return true
      }),
    .list(
      "hooks.allowed-ports", \.server.hooks.allowedPorts, example: "[443, 8443]",
      expected: "a port from 1 to 65535, or a list of them",
      "The only ports that hooks may use; without this any.",
      write: { String($0) },
      read: { value in value.number.flatMap { (1...65_535).contains($0) ? $0 : nil } }),
    .text(
      "hooks.trust-file", \.server.hooks.trustFile, example: "\"/etc/bellhop/ca.pem\"",
      "Certificates (PEM) that are trusted for hooks beside the system's."),
    .span(
      "hooks.answer-timeout", \.server.hooks.answerTimeout, .seconds(1)...(.seconds(60)),
      "A hook's whole time, from the look-up of its name to its answer."),
    .bytes(
      "hooks.answer-bytes-max", \.server.hooks.answerBytesMax, 1024...(1 << 20),
      "Of a hook's answer, headers and all."),
    .count(
      "hooks.connections-max", \.server.hooks.connectionsMax, 1...1000, "Hooks called at once."),
    .count(
      "hooks.connections-per-host-max", \.server.hooks.connectionsPerHostMax, 1...1000,
      "Hooks of one user on one host called at once; those of other users do not wait for them."),
    .count(
      "hooks.connections-per-user-max", \.server.hooks.connectionsPerUserMax, 1...1000,
      "Hooks of one user called at once."),
    .count(
      "hooks.handshakes-max", \.server.hooks.handshakesMax, 1...1000,
      "New hooks asked at once whether they want to be told."),
    .count(
      "hooks.handshakes-per-user-max", \.server.hooks.handshakesPerUserMax, 1...1000,
      "The same of one user."),
    .span(
      "hooks.slow-after", \.server.hooks.slowAfter, .milliseconds(100)...(.seconds(60)),
      "A hook that takes longer goes by the lane of those that fail."),
    .span(
      "hooks.batch-delay", \.server.hooks.batchDelay, .zero...(.seconds(60)),
      "Changes are collected for so long, so that many become one request."),
    .span(
      "hooks.poll-interval", \.server.hooks.pollInterval, .seconds(10)...(.seconds(86_400)),
      "How often all subscriptions are looked at without a cause."),
  ]

  static let subscriptions: [SettingKey] = [
    .count(
      "store.subscriptions-per-user-max", \.limits.subscriptionsPerUserMax, 0...100_000,
      "Web hooks of one user; 0 allows none."),
    .span(
      "store.subscription-life-max", \.limits.subscriptionLifeMax,
      .seconds(60)...TimeSpan.longest, "How far ahead a subscription may expire."),
    .count(
      "store.client-state-characters-max", \.limits.clientStateCharactersMax, 1...4096,
      "Of what a subscriber recognises its notifications by."),
    .count(
      "store.hook-changes-max", \.limits.hookChangesMax, 1...1000,
      "Changes told in one request to a hook."),
    .span(
      "store.hook-retry-delay", \.limits.hookRetryDelay, .milliseconds(100)...(.seconds(3600)),
      "The pause after a hook's first failure; it doubles with each further one."),
    .span(
      "store.hook-retry-delay-max", \.limits.hookRetryDelayMax, .seconds(1)...(.seconds(86_400)),
      "The longest pause between two attempts."),
    .span(
      "store.hook-retry-budget", \.limits.hookRetryBudget, .seconds(1)...(.seconds(30 * 86_400)),
      "How long a hook may fail before what waits for it is dropped."),
  ]

  /// One value, or a list of them.
  private static func list<Value: Sendable>(
    _ path: String, _ place: any Place<[Value]>, example: String, expected: String,
    _ help: String, write: @escaping @Sendable (Value) -> String,
    read: @escaping @Sendable (TOMLSetting) -> Value?
  ) -> SettingKey {
    SettingKey(
      path: path, help: help, expected: expected,
      written: { settings in
        let values = settings[keyPath: place].map(write)
        return values.isEmpty ? nil : "[\(values.joined(separator: ", "))]"
      }, example: example,
      set: { settings, value in
        let items: [TOMLSetting] = if case .list(let items) = value { items } else { [value] }
        let values = items.compactMap(read)
        guard values.count == items.count, values.count <= 64 else { return false }
        settings[keyPath: place] = values
        return true
      })
  }
}
