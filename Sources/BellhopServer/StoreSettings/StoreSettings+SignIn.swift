internal import BellhopSettings
internal import BellhopStore

/// The settings of the table `sign-in`.
extension StoreSettings {
  static let signIn: [Setting<StoreSettings>] = [
    .texts(
      "sign-in.clients", \.server.signInClients, example: "\"bellhop\"",
      "Programs that may sign devices in, by their OAuth client_id."),
    .span(
      "sign-in.life", \.server.signIn.life, .seconds(60)...(.seconds(86_400)),
      "How long a device waits for approval."),
    .span(
      "sign-in.interval", \.server.signIn.interval, .seconds(1)...(.seconds(60)),
      "How often a device may ask whether it was approved."),
    .span(
      "sign-in.interval-step", \.server.signIn.intervalStep, .seconds(1)...(.seconds(60)),
      "How much longer a device that asks too early must wait from then on; RFC 8628 recommends "
        + "5s."),
    .count(
      "sign-in.grants-max", \.server.signIn.grantsMax, 1...1_000_000,
      "The most devices that the store keeps at a time, waiting or just decided. A further one "
        + "replaces the oldest of the network that has the most."),
    .count(
      "sign-in.grants-per-address-max", \.server.signIn.grantsPerAddressMax, 1...1_000_000,
      "The most devices that wait at one IPv4 address, or in one IPv6 network of 64 bits."),
    .count(
      "sign-in.grants-per-site-max", \.server.signIn.grantsPerSiteMax, 1...1_000_000,
      "The same for an IPv6 network of 48 bits."),
    .count(
      "sign-in.asks-per-minute-max", \.server.signIn.asksPerMinuteMax, 1...100_000,
      "The most requests of one IPv4 address, or one IPv6 network of 64 bits, in a minute."),
    .count(
      "sign-in.site-asks-per-minute-max", \.server.signIn.siteAsksPerMinuteMax, 1...100_000,
      "The same for an IPv6 network of 48 bits."),
    .count(
      "sign-in.wrong-codes-max", \.server.signIn.wrongCodesMax, 1...1000,
      "The most wrong codes of a user in ten minutes."),
    .count(
      "sign-in.counted-max", \.server.signIn.countedMax, 16...1_000_000,
      "The most addresses and users that the store counts requests of."),
  ]
}
