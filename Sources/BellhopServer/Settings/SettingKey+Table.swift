internal import BellhopModel
internal import BellhopSettings
internal import BellhopStore
internal import Logging

/// Every key of the configuration file. A new value is one line here; a test compares the keys with
/// the fields of ``ServerConfiguration`` and `StoreLimits`.
extension SettingKey {
  /// The tables of the file, with what they are for.
  static let sections: [(name: String, help: String)] = [
    ("tls", "Encryption of the addresses in listen: both keys, or neither."),
    ("server", "What the server accepts, and how it behaves."),
    ("store", "What the store accepts, and how long it keeps things."),
    ("sign-in", "How devices get their tokens with a code that a person approves."),
    (
      "identity-provider",
      "An OpenID Connect provider whose tokens are accepted beside the store's."
    ),
    ("hooks", "How web hooks are called."),
    ("ntfy", "How ntfy's clients are served."),
  ]

  static let all: [SettingKey] =
    top + tls + server + store + attachments + quotas + subscriptions + signIn + identityProvider
    + hooks
    + ntfy + templates
  static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })

  private static let top: [SettingKey] = [
    .texts(
      "listen", \.listen, example: "\"127.0.0.1:8642\"",
      "HOST:PORT to listen on, or several; port 0 is a free one. With a certificate they are "
        + "encrypted, but for those that begin with http://."),
    .text(
      "unix", \.unix, example: "\"/run/bellhop/store.sock\"",
      "Also, or instead, listen on this socket file, which only its owner may use."),
    .text(
      "data", \.data, example: "\"/var/lib/bellhop\"",
      "The directory of the store's data; else $XDG_DATA_HOME/bellhop/store."),
    .text(
      "metrics-token-file", \.metricsTokenFile, example: "\"/etc/bellhop/metrics.token\"",
      "A file with a token of at least 16 characters, with which /metrics may be read from anywhere. "
        + "It must be readable by its owner only."),
    .choice("log-level", \.logLevel, "How much to log."),
    .choice("log-format", \.logFormat, "How log lines look; automatic: JSON unless on a terminal."),
  ]

  private static let tls: [SettingKey] = [
    .text(
      "tls.certificate", \.certificate, example: "\"/etc/bellhop/fullchain.pem\"",
      "The certificate with its chain, PEM. Read again on SIGHUP and by bellhopd reload."),
    .text(
      "tls.key", \.privateKey, example: "\"/etc/bellhop/privkey.pem\"",
      "Its private key, PEM, without a password, readable by its owner only."),
  ]

  private static let server: [SettingKey] = [
    .bytes(
      "server.body-bytes-max", \.server.bodyBytesMax, 1024...(64 << 20),
      "Of every request body but the outbox's."),
    .bytes(
      "server.operations-body-bytes-max", \.server.operationsBodyBytesMax, 1024...(64 << 20),
      "Of a device's outbox."),
    .bytes(
      "server.bulk-body-bytes-max", \.server.bulkBodyBytesMax, 1024...(256 << 20),
      "Of a bulk publication; each of its lines is held to body-bytes-max."),
    .count(
      "server.bulk-lines-max", \.server.bulkLinesMax, 1...100_000,
      "Publications in one bulk request, which is one transaction."),
    .bytes(
      "server.batch-body-bytes-max", \.server.batchBodyBytesMax, 1024...(64 << 20),
      "Of a $batch."),
    .bytes(
      "server.batch-answer-bytes-max", \.server.batchAnswerBytesMax, 1024...(256 << 20),
      "The answers to a $batch together."),
    .bytes(
      "server.header-bytes-max", \.server.headerBytesMax, 1024...(1 << 20),
      "All header lines together."),
    .count("server.header-fields-max", \.server.headerFieldsMax, 10...10_000, "Header lines."),
    .bytes(
      "server.target-bytes-max", \.server.targetBytesMax, 256...(1 << 20),
      "Path and query of a request."),
    .count(
      "server.json-depth-max", \.server.jsonDepthMax, 8...256,
      "Brackets within brackets in a JSON body."),
    .count(
      "server.delta-rows-default", \.server.deltaRowsDefault, 1...5000,
      "Rows in a page of a delta when the client names no number."),
    .count(
      "server.list-rows-default", \.server.listRowsDefault, 1...5000,
      "Rows in a page of the history when the client names no number."),
    .count(
      "server.list-rows-max", \.server.listRowsMax, 1...5000,
      "Rows in a page of the history at most."),
    .span(
      "server.heartbeat-interval", \.server.heartbeatInterval, .seconds(1)...(.seconds(300)),
      "How often a stream of signals shows that it lives. Clients give up after 70s of silence."),
    .span(
      "server.idle-timeout", \.server.idleTimeout, .seconds(1)...(.seconds(86_400)),
      "A connection that sends nothing and waits for nothing is dropped after this."),
    .span(
      "server.header-timeout", \.server.headerTimeout, .milliseconds(50)...(.seconds(3600)),
      "How long a client may take over the head of a request."),
    .span(
      "server.body-timeout", \.server.bodyTimeout, .milliseconds(50)...(.seconds(3600)),
      "How long a body may keep the server waiting, beside server.transfer-bytes-per-second-min."),
    .span(
      "server.answer-timeout", \.server.answerTimeout, .milliseconds(50)...(.seconds(3600)),
      "A client that reads its answer slower than server.transfer-bytes-per-second-min for so long "
        + "is dropped."),
    .bytes(
      "server.transfer-bytes-per-second-min", \.server.transferBytesPerSecondMin, 1...(1 << 20),
      "The slowest transfer that is waited for, in either direction."),
    .count(
      "server.connections-max", \.server.connectionsMax, 1...1_000_000,
      "Open connections on one listener; more wait to be accepted. Each takes an open file."),
    .count(
      "server.connections-per-address-max", \.server.connectionsPerAddressMax, 1...1_000_000,
      "Open connections from one IPv4 address, or one IPv6 network of 64 bits; more are closed at "
        + "once."),
    .proxies,
    .count(
      "server.token-requests-per-second", \.server.tokenRequestsPerSecond, 1...1_000_000,
      "Requests of one access token, over time; more are answered with 429."),
    .count(
      "server.token-request-burst", \.server.tokenRequestBurst, 1...10_000_000,
      "Requests that a token may make at once when it was quiet before."),
    .choice("server.metrics", \.server.metrics, "Who may read /metrics: see the README."),
    .span(
      "server.readiness-interval", \.server.readinessInterval, .seconds(0)...(.seconds(600)),
      "How long an answer of /health stands; a new one costs a write."),
    .bytes(
      "server.disk-free-bytes-min", \.server.diskFreeBytesMin, 0...(1 << 40),
      "With less room on the disk the store calls itself not ready."),
    .span(
      "server.sweep-interval", \.server.sweepInterval, .seconds(1)...(.seconds(86_400)),
      "How often expired items and old tombstones are cleared away."),
    .span(
      "server.catch-up-delay", \.server.catchUpDelay, .milliseconds(1)...(.seconds(3600)),
      "How long after a write its texts are added to the search index."),
    .span(
      "server.drain-timeout", \.server.drainTimeout, .seconds(0)...(.seconds(600)),
      "Requests under way at shutdown get this long to finish."),
  ]

  private static let proxies = SettingKey(
    path: "server.proxies",
    help: "Reverse proxies, by address or network. Their connections are not counted by address, "
      + "and their X-Forwarded-For is believed, as is that of programs on this machine.",
    expected:
      "an address such as \"10.0.0.2\", a network such as \"10.0.0.0/8\", or a list of them",
    written: { settings in
      "[" + settings.server.proxies.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    },
    set: { settings, value in
      let items: [TOMLSetting] = if case .list(let items) = value { items } else { [value] }
      let texts = items.compactMap(\.text).filter { IPNetwork($0) != nil }
      guard texts.count == items.count, texts.count <= 64 else { return false }
      settings.server.proxies = texts
      return true
    })

  private static let day = Duration.seconds(86_400)

  private static let store: [SettingKey] = [
    .bytes("store.title-bytes-max", \.limits.titleBytesMax, 64...65_536, "Of a title."),
    .bytes(
      "store.visual-body-bytes-max", \.limits.visualBodyBytesMax, 64...(16 << 20), "Of a body."),
    .bytes("store.raw-bytes-max", \.limits.rawBytesMax, 64...(16 << 20), "Of raw content."),
    .count("store.actions-max", \.limits.actionsMax, 0...64, "Actions of an item."),
    .bytes(
      "store.action-text-bytes-max", \.limits.actionTextBytesMax, 256...32_768,
      "What an action copies, or sends."),
    .count("store.tags-max", \.limits.tagsMax, 0...256, "Tags of an item."),
    .bytes("store.tag-bytes-max", \.limits.tagBytesMax, 1...1024, "Of a tag."),
    .count("store.attachments-max", \.limits.attachmentsMax, 0...64, "Attachments of an item."),
    .bytes("store.url-bytes-max", \.limits.urlBytesMax, 64...65_536, "Of a link."),
    .bytes(
      "store.name-bytes-max", \.limits.nameBytesMax, 16...4096,
      "Of group names, app notification ids, and the like."),
    .bytes(
      "store.idempotency-key-bytes-max", \.limits.idempotencyKeyBytesMax, 16...4096,
      "Of an Idempotency-Key."),
    .span(
      "store.expiration-max", \.limits.expirationMax, .seconds(60)...TimeSpan.longest,
      "The furthest expiration a publisher may ask for."),
    .span(
      "store.delivery-max", \.limits.deliveryMax, .seconds(60)...TimeSpan.longest,
      "How far ahead an item without expiration may be scheduled."),
    .optionalSpan(
      "store.default-expiration", \.limits.defaultExpiration, .seconds(60)...TimeSpan.longest,
      "Given to items that name no expiration; \"none\" leaves them to store.retention."),
    .span(
      "store.retention", \.limits.retention, .seconds(60)...TimeSpan.longest,
      "How long an item without expiration stays, unless kept, where its app's settings do not say "
        + "otherwise. A change holds for what is stored already, too."),
    .span(
      "store.snoozed-stay", \.limits.snoozedStay, .seconds(60)...(day * 365),
      "How long a snoozed item stays at least after its snooze, whatever the retention."),
    .count(
      "store.retention-days-max", \.limits.retentionDaysMax, 1...36_500,
      "The longest retention that a person may choose for an app."),
    .count("store.aliases-max", \.limits.aliasesMax, 0...256, "Aliases of an app."),
    .span(
      "store.tombstone-life", \.limits.tombstoneLife, day * 30...TimeSpan.longest,
      "How long a deletion is remembered; clients away for longer start again."),
    .span(
      "store.idempotency-life", \.limits.idempotencyLife, day...(day * 365),
      "How long the answer to an Idempotency-Key is remembered."),
    .count(
      "store.idempotency-keys-per-token-max", \.limits.idempotencyKeysPerTokenMax, 100...1_000_000,
      "Idempotency-Keys remembered of one access token; the oldest are forgotten first."),
    .span(
      "store.operation-life", \.limits.operationLife, day...TimeSpan.longest,
      "How long the results of operations are remembered."),
    .count(
      "store.operations-per-device-max", \.limits.operationsPerDeviceMax, 1000...100_000_000,
      "Operations of a device that are known again; older ones are answered as unknown."),
    .count(
      "store.outboxes-per-device-max", \.limits.outboxesPerDeviceMax, 10...1_000_000,
      "Numberings of one device's operations, which begin when data was copied or restored."),
    .span(
      "store.device-life", \.limits.deviceLife, day...TimeSpan.longest,
      "A device's registration runs out so long after its last use."),
    .span(
      "store.device-expiring", \.limits.deviceExpiring, .seconds(0)...TimeSpan.longest,
      "A registration is called expiring in the last part of its life."),
    .span(
      "store.enrol-life", \.limits.enrolLife, .seconds(60)...(day * 365),
      "How long an enrol token holds that names no end."),
    .span(
      "store.enrol-life-max", \.limits.enrolLifeMax, .seconds(60)...(day * 365),
      "How long an enrol token may hold."),
    .count(
      "store.sign-ins-per-user-max", \.limits.signInsPerUserMax, 1...100_000,
      "Sign-ins of one user through an identity provider; the longest unused makes room."),
    .span(
      "store.sign-in-life", \.limits.signInLife, day...TimeSpan.longest,
      "A sign-in that was not used for so long is forgotten; using it lets it in anew."),
    .count(
      "store.tokens-per-user-max", \.limits.tokensPerUserMax, 1...1_000_000,
      "Access tokens of one user that hold."),
    .span(
      "store.ended-token-life", \.limits.endedTokenLife, day...TimeSpan.longest,
      "How long a token that was revoked or has expired is listed."),
    .count(
      "store.ended-tokens-per-user-max", \.limits.endedTokensPerUserMax, 10...1_000_000,
      "Tokens of one user that were revoked or have expired; the oldest are forgotten first."),
    .count(
      "store.operations-per-batch-max", \.limits.operationsPerBatchMax, 1...10_000,
      "Operations in one call of a device."),
    .count(
      "store.bulk-chunk-items-max", \.limits.bulkChunkItemsMax, 1...100_000,
      "Items that operations change in one transaction; more take several."),
    .span(
      "store.bulk-time-max", \.limits.bulkTimeMax, .milliseconds(10)...(.seconds(10)),
      "How long such a transaction goes on to the next item."),
    .count("store.page-items-max", \.limits.pageItemsMax, 1...100_000, "Rows in any page."),
    .bytes(
      "store.page-bytes-max", \.limits.pageBytesMax, 65_536...(32 << 20),
      "Ends a page early, so that large items do not fill the memory."),
    .count(
      "store.enclosed-rows-max", \.limits.enclosedRowsMax, 0...1000,
      "Rows that a signal brings along; more are for the device to ask for. 0: none."),
    .bytes(
      "store.enclosed-bytes-max", \.limits.enclosedBytesMax, 1_024...65_536,
      "The same for their content."),
    .bytes("store.filter-bytes-max", \.limits.filterBytesMax, 64...65_536, "Of a $filter."),
    .count("store.filter-terms-max", \.limits.filterTermsMax, 1...500, "Conditions of a $filter."),
    .count(
      "store.filter-depth-max", \.limits.filterDepthMax, 1...12,
      "Conditions of a $filter within each other."),
    .count(
      "store.list-scan-max", \.limits.listScanMax, 100...1_000_000,
      "Items one page of a filtered list looks at."),
    .span(
      "store.list-time-max", \.limits.listTimeMax, .milliseconds(10)...(.seconds(60)),
      "How long one page of a list may take; it ends early then, and has a next page."),
    .count(
      "store.search-scan-max", \.limits.searchScanMax, 10...100_000,
      "Texts one page of a search reads while the index is far behind."),
    .count(
      "store.count-scan-max", \.limits.countScanMax, 100...100_000_000,
      "Items one $count of a filtered list looks at."),
    .span(
      "store.count-time-max", \.limits.countTimeMax, .milliseconds(10)...(.seconds(60)),
      "How long one $count may take; it is refused then."),
    .count(
      "store.lists-per-user-max", \.limits.listsPerUserMax, 1...1000,
      "Lists of one user that are read at once."),
    .count(
      "store.lists-waiting-per-user-max", \.limits.listsWaitingPerUserMax, 0...10_000,
      "Lists of one user that wait for their turn; more are refused."),
    .count(
      "store.sweep-items-max", \.limits.sweepItemsMax, 1...10_000,
      "Items cleared away in one transaction."),
    .count(
      "store.removal-rows-max", \.limits.removalRowsMax, 1...100_000,
      "Rows of a removed user deleted in one transaction."),
    .bytes(
      "store.compaction-bytes-max", \.limits.compactionBytesMax, 0...(1 << 40),
      "A database of a version whose files could not shrink is rewritten once if it is no larger; "
        + "writes wait meanwhile."),
    .count(
      "store.streams-per-user-max", \.limits.streamsPerUserMax, 1...1_000_000,
      "Open streams of signals of one user, on all devices."),
    .count(
      "store.streams-per-token-max", \.limits.streamsPerTokenMax, 1...1_000_000,
      "Open streams of signals of one access token; a device needs one."),
  ]

  private static let quotas: [SettingKey] = [
    .choice(
      "store.quota-policy", \.limits.quotaPolicy,
      "What happens to a publication beyond a limit of items or bytes: it is refused, or its app's "
        + "oldest items are deleted."),
    .count("store.apps-max", \.limits.appsMax, 1...1_000_000, "Apps of one user."),
    .count("store.app-items-max", \.limits.appItemsMax, 1...1_000_000_000, "Items of one app."),
    .count(
      "store.app-rows-max", \.limits.appRowsMax, 1...1_000_000_000,
      "Items of one app, deleted ones that are remembered among them."),
    .bytes(
      "store.app-bytes-max", \.limits.appBytesMax, 1024...(1 << 40),
      "Of text in the items of one app."),
    .count(
      "store.user-items-max", \.limits.userItemsMax, 1...1_000_000_000,
      "Items of one user. Every app may have its even share of it, divided by apps-max; so too "
        + "with the other limits of a user."),
    .count(
      "store.user-rows-max", \.limits.userRowsMax, 1...1_000_000_000,
      "Items of one user, deleted ones that are remembered among them."),
    .bytes(
      "store.user-bytes-max", \.limits.userBytesMax, 1024...(1 << 40),
      "Of text in the items of one user."),
    .count(
      "store.app-publishes-per-minute", \.limits.appPublishesPerMinute, 1...1_000_000_000,
      "Publications of one app in a minute; so many at once after a quiet one."),
    .count(
      "store.user-publishes-per-minute", \.limits.userPublishesPerMinute, 1...1_000_000_000,
      "Publications of all apps of one user in a minute."),
  ]
}

extension StoreSettings {
  /// A whole configuration file: every key with its help, and its default in a comment.
  package static func documentation(version: String) -> String {
    let settings = StoreSettings(version: version)
    var text = """
      # The configuration of bellhopd: bellhopd serve --config FILE
      # Every key is optional; those below show the defaults, or an example.
      # Flags of the command line win over this file. Sizes: 300, "64 KiB", "1 MiB".
      # Times: "250ms", "25s", "10m", "12h", "30d". Relative paths count from this file.

      """
    func add(_ key: SettingKey, name: String) {
      text += "\n" + wrapped(key.help)
      if let written = key.written(settings) {
        text += "# \(name) = \(written)\n"
      } else {
        text += "# No default; for example:\n# \(name) = \(key.example)\n"
      }
    }
    for key in SettingKey.all where !key.path.contains(".") { add(key, name: key.path) }
    for section in SettingKey.sections {
      text += "\n" + wrapped(section.help) + "[\(section.name)]\n"
      for key in SettingKey.all where key.path.hasPrefix(section.name + ".") {
        add(key, name: String(key.path.dropFirst(section.name.count + 1)))
      }
    }
    return text
  }

  /// The text as comment lines of at most 100 characters.
  private static func wrapped(_ text: String) -> String {
    var lines = ["#"]
    for word in text.split(separator: " ") {
      if lines[lines.count - 1].count + word.count + 1 > 100 { lines.append("#") }
      lines[lines.count - 1] += " " + word
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
