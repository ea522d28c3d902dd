internal import BellhopModel
internal import BellhopSettings
internal import BellhopStore
internal import BellhopTime

/// The keys of the table `ntfy`.
extension SettingKey {
  static let ntfy: [SettingKey] = [
    .text(
      "ntfy.anonymous-user", \.server.ntfy.anonymousUser, example: "\"alice\"",
      "Lets ntfy's clients in without a token, for the topics below: they are this user's."),
    SettingKey(
      path: "ntfy.anonymous-topics",
      help: "Which topics need no token; * for all.",
      expected: "a topic, ci.* or *, or a list of them",
      written: { settings in
        let texts = settings.server.ntfy.anonymousTopics.map { "\"\($0)\"" }
        return texts.isEmpty ? nil : "[\(texts.joined(separator: ", "))]"
      }, example: "[\"doorbell\"]",
      set: { settings, value in
        let items: [TOMLSetting] = if case .list(let items) = value { items } else { [value] }
        let texts = items.compactMap(\.text).filter { AppPattern($0) != nil }
        guard texts.count == items.count, texts.count <= 64 else { return false }
        settings.server.ntfy.anonymousTopics = texts
        return true
      }),
    .choice(
      "ntfy.anonymous-access", \.server.ntfy.anonymousAccess, "What may be done without a token."),
    .count(
      "ntfy.anonymous-publishes-per-minute", \.server.ntfy.anonymousPublishesPerMinute,
      1...1_000_000,
      "Publications without a token in a minute, from one IPv4 address or IPv6 network of 64 bits."),
    .count(
      "ntfy.all-anonymous-publishes-per-minute", \.server.ntfy.allAnonymousPublishesPerMinute,
      1...1_000_000, "The same from all together."),
    .count(
      "ntfy.anonymous-reads-per-minute", \.server.ntfy.anonymousReadsPerMinute, 1...1_000_000,
      "Polls and streams without a token in a minute, from one IPv4 address or IPv6 network of 64 "
        + "bits."),
    .count(
      "ntfy.all-anonymous-reads-per-minute", \.server.ntfy.allAnonymousReadsPerMinute,
      1...1_000_000, "The same from all together."),
    .count(
      "ntfy.anonymous-apps-max", \.server.ntfy.anonymousAppsMax, 1...1_000_000,
      "A publication without a token makes no new app when the user has so many; store.apps-max "
        + "holds for the others."),
    .bytes(
      "ntfy.anonymous-attachment-bytes-max", \.server.ntfy.anonymousAttachmentBytesMax,
      0...(4 << 30), "Of one file that is uploaded without a token. 0: none can be."),
    .bytes(
      "ntfy.all-anonymous-attachment-bytes-max", \.server.ntfy.allAnonymousAttachmentBytesMax,
      0...(1 << 40),
      "Of all files together that were uploaded without a token and are still kept, each counted "
        + "as at least 4 KiB. They count in store.user-attachments-bytes-max, too."),
    SettingKey(
      path: "ntfy.time-zone",
      help: "The zone of delays in words, as in \"X-Delay: tomorrow 9am\"; else the machine's.",
      expected: "a zone of /usr/share/zoneinfo, such as \"Europe/Berlin\"",
      written: { $0.server.ntfy.timeZone.map { "\"\($0)\"" } }, example: "\"Europe/Berlin\"",
      set: { settings, value in
        guard let name = value.text, (1...64).contains(name.utf8.count),
          SystemZone.wallClock.offsetSeconds(.distantPast, name) != nil
        else { return false }
        settings.server.ntfy.timeZone = name
        return true
      }),
  ]
}
