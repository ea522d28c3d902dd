internal import BellhopStore

/// The keys of the table `sign-in`.
extension SettingKey {
  static let signIn: [SettingKey] = [
    .texts(
      "sign-in.clients", \.server.signIn.clients, example: "\"bellhop\"",
      "Programs that may sign devices in, by their OAuth client_id."),
    .span(
      "sign-in.life", \.server.signIn.life, .seconds(60)...(.seconds(86_400)),
      "How long a device waits for somebody to approve it."),
    .span(
      "sign-in.interval", \.server.signIn.interval, .seconds(1)...(.seconds(60)),
      "How often a device asks whether somebody did."),
    .span(
      "sign-in.interval-step", \.server.signIn.intervalStep, .seconds(1)...(.seconds(60)),
      "A device that asks too early waits so much longer from then on; RFC 8628 says 5s."),
    .count(
      "sign-in.grants-max", \.server.signIn.grantsMax, 1...1_000_000,
      "Devices that are remembered at a time, waiting or just decided. A further one takes the place "
        + "of the oldest of the network that has the most."),
    .count(
      "sign-in.grants-per-address-max", \.server.signIn.grantsPerAddressMax, 1...1_000_000,
      "Devices at one IPv4 address, or in one IPv6 network of 64 bits, that wait at a time."),
    .count(
      "sign-in.grants-per-site-max", \.server.signIn.grantsPerSiteMax, 1...1_000_000,
      "The same for an IPv6 network of 48 bits."),
    .count(
      "sign-in.asks-per-minute-max", \.server.signIn.asksPerMinuteMax, 1...100_000,
      "How often one IPv4 address, or one IPv6 network of 64 bits, may ask in a minute."),
    .count(
      "sign-in.site-asks-per-minute-max", \.server.signIn.siteAsksPerMinuteMax, 1...100_000,
      "The same for an IPv6 network of 48 bits."),
    .count(
      "sign-in.wrong-codes-max", \.server.signIn.wrongCodesMax, 1...1000,
      "Wrong codes that one user may type in ten minutes."),
    .count(
      "sign-in.counted-max", \.server.signIn.countedMax, 16...1_000_000,
      "Addresses and users whose times are counted."),
  ]
}
