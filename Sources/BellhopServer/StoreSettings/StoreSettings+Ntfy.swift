internal import BellhopModel
internal import BellhopSettings
internal import BellhopStore
internal import BellhopTime

/// The settings of the table `ntfy`.
extension StoreSettings {
  static let ntfy: [Setting<StoreSettings>] = [
    .text(
      "ntfy.anonymous-user", \.server.ntfy.anonymousUser, example: "\"alice\"",
      "The user whose topics below ntfy's clients may use without a token."),
    .texts(
      "ntfy.anonymous-topics", \.server.ntfy.anonymousTopics, expected: "a topic, ci.* or *",
      example: "[\"doorbell\"]", "The topics that need no token; * for all.",
      where: { AppPattern($0) != nil }),
    .choice(
      "ntfy.anonymous-access", \.server.ntfy.anonymousAccess, "The access without a token."),
    .count(
      "ntfy.anonymous-publishes-per-minute", \.server.ntfy.anonymousPublishesPerMinute,
      1...1_000_000,
      "The most publications without a token in a minute, from one IPv4 address or IPv6 network "
        + "of 64 bits."),
    .count(
      "ntfy.all-anonymous-publishes-per-minute", \.server.ntfy.allAnonymousPublishesPerMinute,
      1...1_000_000, "The same from all addresses together."),
    .count(
      "ntfy.anonymous-reads-per-minute", \.server.ntfy.anonymousReadsPerMinute, 1...1_000_000,
      "The most polls and streams without a token in a minute, from one IPv4 address or IPv6 "
        + "network of 64 bits."),
    .count(
      "ntfy.all-anonymous-reads-per-minute", \.server.ntfy.allAnonymousReadsPerMinute,
      1...1_000_000, "The same from all addresses together."),
    .count(
      "ntfy.anonymous-apps-max", \.server.ntfy.anonymousAppsMax, 1...1_000_000,
      "The most apps of the user with which a publication without a token may add one. For "
        + "others store.apps-max applies."),
    .bytes(
      "ntfy.anonymous-attachment-bytes-max", \.server.ntfy.anonymousAttachmentBytesMax,
      0...(4 << 30), "The largest file that may be uploaded without a token. 0: none."),
    .bytes(
      "ntfy.all-anonymous-attachment-bytes-max", \.server.ntfy.allAnonymousAttachmentBytesMax,
      0...(1 << 40),
      "The largest size of all kept files that were uploaded without a token. Each counts as at "
        + "least 4 KiB. They count in store.user-attachments-bytes-max too."),
    .text(
      "ntfy.time-zone", \.server.ntfy.timeZone,
      expected: "a time zone of /usr/share/zoneinfo, such as \"Europe/Berlin\"",
      example: "\"Europe/Berlin\"",
      "The time zone of delays in words, as in \"X-Delay: tomorrow 9am\", of users who set none; "
        + "else the machine's.",
      where: { name in
        (1...64).contains(name.utf8.count)
          && SystemZone.wallClock.offsetSeconds(.distantPast, name) != nil
      }),
  ]
}
