/// The limits of a store, and how long it keeps data. Every value can be configured.
package struct StoreLimits: Hashable, Sendable {
  package var titleBytesMax = 512
  package var visualBodyBytesMax = 16 * 1024
  package var rawBytesMax = 32 * 1024
  package var actionsMax = 8
  /// The maximum size of the text that an action copies or sends.
  package var actionTextBytesMax = 4096
  package var tagsMax = 16
  package var tagBytesMax = 64
  package var attachmentsMax = 8
  /// The maximum size of one file that a publisher uploads.
  package var attachmentBytesMax = 15 << 20
  /// The maximum total size of an app's files, each counted as at least ``StoredFile/chargeMin``
  /// bytes.
  package var appAttachmentsBytesMax = 512 << 20
  /// The maximum total size of a user's files, counted the same way. Twice an app's share, so that
  /// no single app can use all of it.
  package var userAttachmentsBytesMax = 1 << 30
  /// The time a file stays after its item's arrival, if the item stays that long.
  package var attachmentsKeep = Duration.seconds(30 * 86_400)
  /// The time an upload waits for a publication that names it.
  package var uploadLife = Duration.seconds(3600)
  package var urlBytesMax = 2048
  /// The maximum size of group names, app notification ids, categories, sounds, action ids and
  /// titles.
  package var nameBytesMax = 256
  package var idempotencyKeyBytesMax = 255
  /// The maximum time until an explicit expiration; Graph's limit.
  package var expirationMax = Duration.seconds(30 * 86_400)
  /// The maximum time ahead that an item without expiration may be scheduled.
  package var deliveryMax = Duration.seconds(365 * 86_400)
  /// The expiration of items that name none; nil applies ``retention`` instead.
  package var defaultExpiration: Duration?
  /// The time an item without expiration stays after its arrival, unless pinned. An app's settings
  /// can override it. A change applies to stored items too.
  package var retention = Duration.seconds(365 * 86_400)
  /// The minimum time an item stays after its snooze ends, whatever the retention. A day ensures
  /// that its user sees it.
  package var snoozedStay = Duration.seconds(86_400)
  /// The longest retention that a user may choose for an app; the shortest is a day.
  package var retentionDaysMax = 3650
  /// The lifetime of a tombstone. Clients away for longer start again (SYNC-12).
  package var tombstoneLife = Duration.seconds(30 * 86_400)
  /// The time for which the answer to an idempotency key is remembered; at least a day.
  package var idempotencyLife = Duration.seconds(48 * 3600)
  /// The number of idempotency keys remembered per access token; the oldest are forgotten first.
  ///
  /// A record takes about 250 bytes of the database and counts towards no other quota, so this
  /// limits a token to a few megabytes. A publisher repeats a request within minutes, not after
  /// thousands of others.
  package var idempotencyKeysPerTokenMax = 10_000
  /// The time for which the results of operations are remembered. The ids of applied operations are
  /// remembered longer: for the life of their device, up to ``operationsPerDeviceMax``.
  package var operationLife = Duration.seconds(60 * 86_400)
  /// The number of operation ids remembered per device, so that none is applied twice.
  ///
  /// The oldest are forgotten first. An id and its number take about 60 bytes with their index: 6
  /// MB at this limit, which a user with 100 changes a day reaches in three years.
  package var operationsPerDeviceMax = 100_000
  /// The maximum number of outboxes of one device. A device starts one when its data or the store's
  /// was copied or restored, so no user comes near the limit.
  package var outboxesPerDeviceMax = 1000
  /// The time after its last use at which a device's registration expires.
  package var deviceLife = Duration.seconds(90 * 86_400)
  /// The last part of a registration's life, in which it is reported as expiring.
  package var deviceExpiring = Duration.seconds(14 * 86_400)
  /// The default lifetime of an enrol token.
  package var enrolLife = Duration.seconds(3600)
  /// The maximum lifetime of an enrol token.
  package var enrolLifeMax = Duration.seconds(7 * 86_400)
  /// The maximum number of one user's sign-ins through an identity provider; a new one replaces the
  /// least recently used.
  package var signInsPerUserMax = 256
  /// The time after which an unused sign-in is forgotten; using it afterwards admits it again.
  package var signInLife = Duration.seconds(180 * 86_400)
  /// The maximum number of valid access tokens of one user.
  package var tokensPerUserMax = 1000
  /// The time for which a revoked or expired token is listed, and for which its presenter receives
  /// the reason.
  ///
  /// A revoked sign-in through an identity provider stays for good. Its user may present the
  /// provider's token again, and would be admitted if the revocation were forgotten.
  package var endedTokenLife = Duration.seconds(60 * 86_400)
  /// The maximum number of one user's revoked or expired tokens; the oldest are forgotten first. It
  /// equals the maximum of valid ones: more come from a program that creates a token for each run.
  package var endedTokensPerUserMax = 1000
  package var operationsPerBatchMax = 1000
  /// The maximum number of items that operations change in one transaction, so that other users'
  /// writes get their turn. A bulk operation on more items runs in chunks of this size.
  package var bulkChunkItemsMax = 500
  /// The time after which such a transaction stops; the next one continues with the remaining
  /// items.
  package var bulkTimeMax = Duration.milliseconds(100)
  package var pageItemsMax = 5000
  /// The size at which a page ends early, so that large items do not fill the memory.
  package var pageBytesMax = 4 * 1024 * 1024
  /// The maximum number of rows enclosed in a signal; a device requests a larger delta itself.
  package var enclosedRowsMax = 20
  /// The maximum size of the enclosed rows' content, counted as in a page.
  package var enclosedBytesMax = 16 << 10
  /// The maximum length of a `$filter`. The next two limit its conditions and its nesting.
  package var filterBytesMax = 4096
  package var filterTermsMax = 100
  package var filterDepthMax = 12
  /// The maximum number of items that one page of a filtered list examines; a few milliseconds of
  /// work. It also limits one step of a bulk operation.
  package var listScanMax = 10_000
  /// The time limit for one page of a list. The next page examines the remaining items, because a
  /// filter may cost milliseconds per item. The limit is long enough for a slow disk and short
  /// enough for the lists that wait behind it.
  package var listTimeMax = Duration.milliseconds(250)
  /// The number of texts that one page of a search reads while the index is far behind.
  package var searchScanMax = 1000
  /// The maximum number of items that a filtered count examines; some tenths of a second.
  package var countScanMax = 200_000
  /// The time limit for a count. Beyond it, the count is not supported, as beyond ``countScanMax``.
  package var countTimeMax = Duration.seconds(1)
  /// The maximum number of one user's lists that are read at once. Each takes one reader: two keep
  /// a client with two lists fast, and leave the other readers to other users.
  package var listsPerUserMax = 2
  /// The maximum number of one user's lists that wait for their turn; more are refused. Enough for
  /// a screen full of lists, at a few milliseconds each.
  package var listsWaitingPerUserMax = 32
  /// The number of items turned into tombstones, or of tombstones dropped, in one sweep
  /// transaction.
  package var sweepItemsMax = 200
  /// The number of rows of a removed user that are deleted in one transaction.
  package var removalRowsMax = 500
  /// The maximum size of a database that is rewritten once so that its file can shrink. This
  /// concerns databases of a version whose files could not shrink. Writes wait meanwhile, for a
  /// second or two at this size.
  package var compactionBytesMax = 256 << 20
  /// The maximum number of open signal streams of one user, on all devices.
  package var streamsPerUserMax = 256
  /// The maximum number of open signal streams of one access token; a device needs one.
  package var streamsPerTokenMax = 16
  /// The maximum number of requests of one access token that wait for an answer, with its streams.
  package var waitsPerTokenMax = 8
  /// The maximum number of web hooks of one user; 0 allows none.
  package var subscriptionsPerUserMax = 20
  /// The maximum time until a subscription expires, at its creation and at each renewal.
  package var subscriptionLifeMax = Duration.seconds(30 * 86_400)
  /// The maximum length of a client state; Graph's limit.
  package var clientStateCharactersMax = 128
  /// The maximum number of changes in one request to a hook.
  package var hookChangesMax = 100
  /// The pause after a hook's first failure; it doubles with each further one.
  package var hookRetryDelay = Duration.seconds(5)
  /// The longest pause between two attempts, unless the hook requests a longer one.
  package var hookRetryDelayMax = Duration.seconds(30 * 60)
  /// The time for which a hook may fail before its waiting changes are dropped; Graph's four hours.
  package var hookRetryBudget = Duration.seconds(4 * 3600)

  /// The maximum number of aliases of one app.
  package var aliasesMax = 16
  /// The maximum number of apps of one user: those with items or tombstones, and those that were
  /// configured.
  package var appsMax = 1000
  /// The maximum number of categories of one app.
  package var categoriesMax = 32
  /// The maximum size of one category's text, in bytes.
  package var categoryBytesMax = 16 * 1024
  /// The maximum size of the text of all of a user's categories, in bytes.
  ///
  /// A first synchronisation returns them in its first page.
  package var categoriesBytesMax = 1 << 20
  /// The maximum size of an item's data for the app's own handlers, in bytes of JSON.
  package var userInfoBytesMax = 4096
  /// The maximum number of a user's live items with a trigger.
  package var triggersMax = 500
  /// The number of a user's apps beyond which a publisher without a fixed app creates no new one.
  /// The rest is reserved for the user's own devices (SECURITY-7).
  package var publishersAppsMax: Int { max(1, appsMax - appsMax / 4) }
  /// The policy for a publication that exceeds a quota of items or bytes.
  package var quotaPolicy = QuotaPolicy.refuse
  /// The maximum number of live items of one app.
  package var appItemsMax = 2_000_000
  /// The maximum number of live items and tombstones of one app. Beyond it, new items are refused
  /// whatever the policy, because a tombstone must live its full time.
  package var appRowsMax = 4_000_000
  /// The maximum size of the text in one app's live items, in bytes.
  package var appBytesMax = 2 << 30
  /// The maximum number of live items of one user. Every app is guaranteed an even share, the limit
  /// divided by ``appsMax``, whatever the others hold. The same applies to the next three limits.
  package var userItemsMax = 5_000_000
  /// The maximum number of live items and tombstones of one user.
  package var userRowsMax = 10_000_000
  /// The maximum size of the text in one user's live items, in bytes.
  package var userBytesMax = 8 << 30
  /// The maximum number of publications per minute of one user's apps together; also the burst
  /// after a quiet minute.
  package var userPublishesPerMinute = 120_000
  /// The maximum number of publications per minute of one app; also the burst after a quiet minute.
  package var appPublishesPerMinute = 60_000

  package init() {}
}

/// The behaviour of a store when an app or its user has reached a quota.
package enum QuotaPolicy: String, Hashable, Sendable, CaseIterable {
  /// Refuses the publication.
  case refuse
  /// Deletes the app's oldest items to free quota, except for pinned and snoozed ones.
  case evictOldest = "evict-oldest"
}

/// The capacity of one page. A page has at least one row if any row exists.
package struct PageLimit: Hashable, Sendable {
  package var rows: Int
  /// The maximum size of the content as JSON: UTF-8, with six bytes for each control character.
  package var bytes: Int

  package init(rows: Int, bytes: Int) {
    self.rows = rows
    self.bytes = bytes
  }
}
