internal import BellhopSettings
internal import BellhopStore

/// The settings of the table `store`, except for those of subscriptions.
extension StoreSettings {
  private static let day = Duration.seconds(86_400)

  static let store: [Setting<StoreSettings>] = [
    .bytes(
      "store.title-bytes-max", \.limits.titleBytesMax, 64...65_536,
      "The largest title of an item."),
    .bytes(
      "store.visual-body-bytes-max", \.limits.visualBodyBytesMax, 64...(16 << 20),
      "The largest body of an item."),
    .bytes(
      "store.raw-bytes-max", \.limits.rawBytesMax, 64...(16 << 20),
      "The largest raw content of an item."),
    .count("store.actions-max", \.limits.actionsMax, 0...64, "The most actions of an item."),
    .bytes(
      "store.action-text-bytes-max", \.limits.actionTextBytesMax, 256...32_768,
      "The largest text that an action copies or sends."),
    .count("store.tags-max", \.limits.tagsMax, 0...256, "The most tags of an item."),
    .bytes("store.tag-bytes-max", \.limits.tagBytesMax, 1...1024, "The largest tag."),
    .count(
      "store.attachments-max", \.limits.attachmentsMax, 0...64, "The most attachments of an item."),
    .bytes("store.url-bytes-max", \.limits.urlBytesMax, 64...65_536, "The longest link."),
    .bytes(
      "store.name-bytes-max", \.limits.nameBytesMax, 16...4096,
      "The longest group name, app notification id, and the like."),
    .bytes(
      "store.idempotency-key-bytes-max", \.limits.idempotencyKeyBytesMax, 16...4096,
      "The longest idempotency key."),
    .span(
      "store.expiration-max", \.limits.expirationMax, .seconds(60)...TimeSpan.longest,
      "The latest expiration that a publisher may request."),
    .span(
      "store.delivery-max", \.limits.deliveryMax, .seconds(60)...TimeSpan.longest,
      "How far ahead an item without expiration may be scheduled."),
    .optionalSpan(
      "store.default-expiration", \.limits.defaultExpiration, .seconds(60)...TimeSpan.longest,
      "The expiration of items that have none; \"none\" leaves them to store.retention."),
    .span(
      "store.retention", \.limits.retention, .seconds(60)...TimeSpan.longest,
      "The retention of items without expiration, unless they are pinned or their app has its "
        + "own. A change applies to stored items too."),
    .span(
      "store.snoozed-stay", \.limits.snoozedStay, .seconds(60)...(day * 365),
      "How long a snoozed item stays at least after its snooze, beyond its retention."),
    .count(
      "store.retention-days-max", \.limits.retentionDaysMax, 1...36_500,
      "The longest retention that a user may choose for an app, in days."),
    .count("store.aliases-max", \.limits.aliasesMax, 0...256, "The most aliases of an app."),
    .span(
      "store.tombstone-life", \.limits.tombstoneLife, day * 30...TimeSpan.longest,
      "How long the store keeps tombstones. Clients that were away for longer start again."),
    .span(
      "store.idempotency-life", \.limits.idempotencyLife, day...(day * 365),
      "How long the store keeps the response to an idempotency key."),
    .count(
      "store.idempotency-keys-per-token-max", \.limits.idempotencyKeysPerTokenMax, 100...1_000_000,
      "The most idempotency keys that the store keeps for an access token. It forgets the "
        + "oldest first."),
    .span(
      "store.operation-life", \.limits.operationLife, day...TimeSpan.longest,
      "How long the store keeps the results of operations."),
    .count(
      "store.operations-per-device-max", \.limits.operationsPerDeviceMax, 1000...100_000_000,
      "The most operations of a device whose results the store keeps. It reports older ones as "
        + "unknown."),
    .count(
      "store.outboxes-per-device-max", \.limits.outboxesPerDeviceMax, 10...1_000_000,
      "The most outboxes of a device. A new one begins when its data was copied or restored."),
    .span(
      "store.device-life", \.limits.deviceLife, day...TimeSpan.longest,
      "How long the registration of a device lasts after its last use."),
    .span(
      "store.device-expiring", \.limits.deviceExpiring, .seconds(0)...TimeSpan.longest,
      "How long before its end a registration is reported as expiring."),
    .span(
      "store.enrol-life", \.limits.enrolLife, .seconds(60)...(day * 365),
      "How long an enrol token without an end is valid."),
    .span(
      "store.enrol-life-max", \.limits.enrolLifeMax, .seconds(60)...(day * 365),
      "The longest time that an enrol token may be valid."),
    .count(
      "store.sign-ins-per-user-max", \.limits.signInsPerUserMax, 1...100_000,
      "The most sign-ins of a user through an identity provider. A new one replaces the one "
        + "that was unused for longest."),
    .span(
      "store.sign-in-life", \.limits.signInLife, day...TimeSpan.longest,
      "How long the store keeps an unused sign-in. Using it later signs in again."),
    .count(
      "store.tokens-per-user-max", \.limits.tokensPerUserMax, 1...1_000_000,
      "The most valid access tokens of a user."),
    .span(
      "store.ended-token-life", \.limits.endedTokenLife, day...TimeSpan.longest,
      "How long the store lists revoked and expired tokens."),
    .count(
      "store.ended-tokens-per-user-max", \.limits.endedTokensPerUserMax, 10...1_000_000,
      "The most revoked and expired tokens of a user that the store lists. It forgets the "
        + "oldest first."),
    .count(
      "store.operations-per-batch-max", \.limits.operationsPerBatchMax, 1...10_000,
      "The most operations in one request of a device."),
    .count(
      "store.bulk-chunk-items-max", \.limits.bulkChunkItemsMax, 1...100_000,
      "The most items that operations change in one transaction. More take several."),
    .span(
      "store.bulk-time-max", \.limits.bulkTimeMax, .milliseconds(10)...(.seconds(10)),
      "How long such a transaction may last before it takes no further item."),
    .count(
      "store.page-items-max", \.limits.pageItemsMax, 1...100_000, "The most rows in any page."),
    .bytes(
      "store.page-bytes-max", \.limits.pageBytesMax, 65_536...(32 << 20),
      "The size at which a page ends early, so that large items do not fill the memory."),
    .count(
      "store.enclosed-rows-max", \.limits.enclosedRowsMax, 0...1000,
      "The most rows that a signal contains. The device requests more itself. 0: none."),
    .bytes(
      "store.enclosed-bytes-max", \.limits.enclosedBytesMax, 1_024...65_536,
      "The largest content of these rows together."),
    .bytes("store.filter-bytes-max", \.limits.filterBytesMax, 64...65_536, "The longest $filter."),
    .count(
      "store.filter-terms-max", \.limits.filterTermsMax, 1...500,
      "The most conditions of a $filter."),
    .count(
      "store.filter-depth-max", \.limits.filterDepthMax, 1...12,
      "The deepest nesting of the conditions of a $filter."),
    .count(
      "store.list-scan-max", \.limits.listScanMax, 100...1_000_000,
      "The most items that the store reads for one page of a filtered list."),
    .span(
      "store.list-time-max", \.limits.listTimeMax, .milliseconds(10)...(.seconds(60)),
      "How long the store may take for one page of a list. The page then ends early and has a "
        + "next one."),
    .count(
      "store.search-scan-max", \.limits.searchScanMax, 10...100_000,
      "The most texts that the store reads for one page of a search while the index is far "
        + "behind."),
    .count(
      "store.count-scan-max", \.limits.countScanMax, 100...100_000_000,
      "The most items that the store reads for the $count of a filtered list."),
    .span(
      "store.count-time-max", \.limits.countTimeMax, .milliseconds(10)...(.seconds(60)),
      "How long the store may take for a $count before it refuses the request."),
    .count(
      "store.lists-per-user-max", \.limits.listsPerUserMax, 1...1000,
      "The most lists of a user that the store reads at once."),
    .count(
      "store.lists-waiting-per-user-max", \.limits.listsWaitingPerUserMax, 0...10_000,
      "The most lists of a user that wait for their turn. The store refuses more."),
    .count(
      "store.sweep-items-max", \.limits.sweepItemsMax, 1...10_000,
      "The most items that the store removes in one transaction."),
    .count(
      "store.removal-rows-max", \.limits.removalRowsMax, 1...100_000,
      "The most rows of a removed user that the store deletes in one transaction."),
    .bytes(
      "store.compaction-bytes-max", \.limits.compactionBytesMax, 0...(1 << 40),
      "The largest database of a version whose files could not shrink that the store rewrites "
        + "once. Writes wait meanwhile."),
    .count(
      "store.streams-per-user-max", \.limits.streamsPerUserMax, 1...1_000_000,
      "The most open streams of signals of a user, on all devices."),
    .count(
      "store.streams-per-token-max", \.limits.streamsPerTokenMax, 1...1_000_000,
      "The most open streams of signals of an access token. A device needs one."),
    .count(
      "store.waits-per-token-max", \.limits.waitsPerTokenMax, 1...1_000_000,
      "The most requests of an access token that wait for an answer, with its streams."),
  ]

  /// The settings of files that publishers upload.
  static let attachments: [Setting<StoreSettings>] = [
    .bytes(
      "store.attachment-bytes-max", \.limits.attachmentBytesMax, 1024...(4 << 30),
      "The largest file that a publisher may upload."),
    .bytes(
      "store.app-attachments-bytes-max", \.limits.appAttachmentsBytesMax, 0...(1 << 40),
      "The largest size of all files of an app. Each counts as at least 4 KiB. 0: apps cannot "
        + "upload files."),
    .bytes(
      "store.user-attachments-bytes-max", \.limits.userAttachmentsBytesMax, 0...(1 << 40),
      "The largest size of all files of a user. Make it more than that of an app, so that no "
        + "app takes all."),
    .span(
      "store.attachments-keep", \.limits.attachmentsKeep, .seconds(60)...TimeSpan.longest,
      "How long a file stays after the arrival of its item, if the item stays as long."),
    .span(
      "store.upload-life", \.limits.uploadLife, .seconds(10)...(.seconds(86_400)),
      "How long the store keeps an uploaded file that no publication uses."),
  ]

  static let quotas: [Setting<StoreSettings>] = [
    .choice(
      "store.quota-policy", \.limits.quotaPolicy,
      "The handling of a publication beyond a quota of items or bytes: the store refuses it, or "
        + "deletes the oldest items of its app."),
    .count("store.apps-max", \.limits.appsMax, 1...1_000_000, "The most apps of a user."),
    .count(
      "store.categories-max", \.limits.categoriesMax, 0...1000, "The most categories of an app."),
    .bytes(
      "store.category-bytes-max", \.limits.categoryBytesMax, 1024...(1 << 20),
      "The largest category."),
    .bytes(
      "store.categories-bytes-max", \.limits.categoriesBytesMax, 1024...(64 << 20),
      "The size of all categories of a user."),
    .bytes(
      "store.user-info-bytes-max", \.limits.userInfoBytesMax, 0...(1 << 20),
      "The largest userInfo of an item."),
    .count(
      "store.triggers-max", \.limits.triggersMax, 1...10_000,
      "The most items with a trigger of a user."),
    .count(
      "store.app-items-max", \.limits.appItemsMax, 1...1_000_000_000, "The most items of an app."),
    .count(
      "store.app-rows-max", \.limits.appRowsMax, 1...1_000_000_000,
      "The most items and tombstones of an app."),
    .bytes(
      "store.app-bytes-max", \.limits.appBytesMax, 1024...(1 << 40),
      "The largest size of all texts of the items of an app."),
    .count(
      "store.user-items-max", \.limits.userItemsMax, 1...1_000_000_000,
      "The most items of a user. Every app is granted an even share, divided by apps-max, as of "
        + "the other quotas of a user."),
    .count(
      "store.user-rows-max", \.limits.userRowsMax, 1...1_000_000_000,
      "The most items and tombstones of a user."),
    .bytes(
      "store.user-bytes-max", \.limits.userBytesMax, 1024...(1 << 40),
      "The largest size of all texts of the items of a user."),
    .count(
      "store.app-publishes-per-minute", \.limits.appPublishesPerMinute, 1...1_000_000_000,
      "The most publications of an app in a minute. After a quiet minute, as many at once."),
    .count(
      "store.user-publishes-per-minute", \.limits.userPublishesPerMinute, 1...1_000_000_000,
      "The most publications of all apps of a user in a minute."),
  ]
}
