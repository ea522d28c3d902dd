internal import BellhopModel
internal import BellhopSettings
internal import BellhopStore

/// The settings of the table `hooks`, and those of subscriptions in the table `store`.
extension StoreSettings {
  static let hooks: [Setting<StoreSettings>] = [
    .list(
      "hooks.allowed-networks", \.server.hooks.allowedNetworks,
      expected: "a network such as \"10.0.0.0/8\"", example: "[\"10.0.0.0/8\"]",
      "Private and other special networks that hooks may be in.",
      written: { TOMLText.quoted("\($0)") }, read: { $0.text.flatMap { IPNetwork($0) } }),
    .flag(
      "hooks.allows-plain", \.server.hooks.allowsPlain,
      "Whether hooks may be called by plain HTTP, which others in the network can read."),
    .list(
      "hooks.allowed-ports", \.server.hooks.allowedPorts,
      expected: "a port from 1 to 65535", example: "[443, 8443]",
      "The only ports that hooks may use. Without it, hooks may use any.",
      written: { String($0) }, read: { $0.number(in: 1...65_535) }),
    .text(
      "hooks.trust-file", \.server.hooks.trustFile, example: "\"/etc/bellhop/ca.pem\"",
      "Certificates (PEM) that are trusted for hooks, beside the system's."),
    .span(
      "hooks.answer-timeout", \.server.hooks.answerTimeout, .seconds(1)...(.seconds(60)),
      "How long a call of a hook may take, from resolving its name to its response."),
    .bytes(
      "hooks.answer-bytes-max", \.server.hooks.answerBytesMax, 1024...(1 << 20),
      "The largest response of a hook, with its headers."),
    .count(
      "hooks.connections-max", \.server.hooks.connectionsMax, 1...1000,
      "The most hooks that the store calls at once."),
    .count(
      "hooks.connections-per-host-max", \.server.hooks.connectionsPerHostMax, 1...1000,
      "The most hooks of a user on one host that the store calls at once. Those of other users "
        + "do not wait for them."),
    .count(
      "hooks.connections-per-user-max", \.server.hooks.connectionsPerUserMax, 1...1000,
      "The most hooks of a user that the store calls at once."),
    .count(
      "hooks.handshakes-max", \.server.hooks.handshakesMax, 1...1000,
      "The most new hooks that the store validates at once."),
    .count(
      "hooks.handshakes-per-user-max", \.server.hooks.handshakesPerUserMax, 1...1000,
      "The same for one user."),
    .span(
      "hooks.slow-after", \.server.hooks.slowAfter, .milliseconds(100)...(.seconds(60)),
      "How long a hook may take before the store calls it together with those that fail."),
    .span(
      "hooks.batch-delay", \.server.hooks.batchDelay, .zero...(.seconds(60)),
      "How long the store collects changes for one request."),
    .span(
      "hooks.poll-interval", \.server.hooks.pollInterval, .seconds(10)...(.seconds(86_400)),
      "How often the store checks all subscriptions without a cause."),
  ]

  static let subscriptions: [Setting<StoreSettings>] = [
    .count(
      "store.subscriptions-per-user-max", \.limits.subscriptionsPerUserMax, 0...100_000,
      "The most subscriptions of a user; 0 allows none."),
    .span(
      "store.subscription-life-max", \.limits.subscriptionLifeMax,
      .seconds(60)...TimeSpan.longest, "How far ahead a subscription may expire."),
    .count(
      "store.client-state-characters-max", \.limits.clientStateCharactersMax, 1...4096,
      "The longest clientState, by which a subscriber recognises its notifications."),
    .count(
      "store.hook-changes-max", \.limits.hookChangesMax, 1...1000,
      "The most changes in one request to a hook. Deliveries by triggers come in addition."),
    .span(
      "store.hook-retry-delay", \.limits.hookRetryDelay, .milliseconds(100)...(.seconds(3600)),
      "The back-off after the first failure of a hook. It doubles with each further one."),
    .span(
      "store.hook-retry-delay-max", \.limits.hookRetryDelayMax, .seconds(1)...(.seconds(86_400)),
      "The longest back-off between two attempts."),
    .span(
      "store.hook-retry-budget", \.limits.hookRetryBudget, .seconds(1)...(.seconds(30 * 86_400)),
      "How long a hook may fail before the store drops its changes."),
  ]
}
