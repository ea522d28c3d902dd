/// What a store accepts, and how long it keeps things. Every value can be configured.
package struct StoreLimits: Hashable, Sendable {
  package var titleBytesMax = 512
  package var visualBodyBytesMax = 16 * 1024
  package var rawBytesMax = 32 * 1024
  package var actionsMax = 8
  /// What an action copies, or sends.
  package var actionTextBytesMax = 4096
  package var tagsMax = 16
  package var tagBytesMax = 64
  package var attachmentsMax = 8
  /// Of one file that a publisher uploads.
  package var attachmentBytesMax = 15 << 20
  /// The files of one app, each counted as at least ``StoredFile/chargeMin`` bytes.
  package var appAttachmentsBytesMax = 512 << 20
  /// The files of one user, counted likewise. Twice an app's share, so that no app alone takes all.
  package var userAttachmentsBytesMax = 1 << 30
  /// How long a file stays after its item's arrival, if the item stays so long.
  package var attachmentsKeep = Duration.seconds(30 * 86_400)
  /// How long an upload waits for a publication that names it.
  package var uploadLife = Duration.seconds(3600)
  package var urlBytesMax = 2048
  /// Group names, app notification ids, categories, sounds, action ids and titles.
  package var nameBytesMax = 256
  package var idempotencyKeyBytesMax = 255
  /// Graph's limit of an explicit expiration.
  package var expirationMax = Duration.seconds(30 * 86_400)
  /// How far ahead an item may be scheduled that names no expiration.
  package var deliveryMax = Duration.seconds(365 * 86_400)
  /// Given to items that name no expiration; nil leaves them to ``retention``.
  package var defaultExpiration: Duration?
  /// How long an item without expiration stays after its arrival, unless kept, in apps whose
  /// settings do not say otherwise. A change holds for what is stored already, too.
  package var retention = Duration.seconds(365 * 86_400)
  /// How long a snoozed item stays at least after the end of its snooze, whatever the retention: a
  /// day, so that its user sees it.
  package var snoozedStay = Duration.seconds(86_400)
  /// The longest retention that a person may choose for an app; the shortest is a day.
  package var retentionDaysMax = 3650
  /// A tombstone's life; clients away for longer start again (SYNC-12).
  package var tombstoneLife = Duration.seconds(30 * 86_400)
  /// How long the answer to an idempotency key is remembered; at least a day.
  package var idempotencyLife = Duration.seconds(48 * 3600)
  /// Idempotency keys remembered of one access token; the oldest are forgotten first. A record takes
  /// about 250 bytes of the database and counts in no other quota, so this bounds a token to some
  /// megabytes. A publisher repeats a request within minutes, not after thousands of others.
  package var idempotencyKeysPerTokenMax = 10_000
  /// How long the results of operations are remembered. What was applied is remembered longer: for
  /// its device's life, up to ``operationsPerDeviceMax``.
  package var operationLife = Duration.seconds(60 * 86_400)
  /// Operations of one device whose ids are remembered, so that none is applied twice; the oldest
  /// are forgotten first. An id and its number take some 60 bytes with their index: 6 MB at this
  /// limit, which a person with 100 changes a day meets in three years.
  package var operationsPerDeviceMax = 100_000
  /// Numberings of one device's operations. A device begins one when its data was copied or
  /// restored, and when the store's was: no person comes near it.
  package var outboxesPerDeviceMax = 1000
  /// A device's registration runs out so long after its last use.
  package var deviceLife = Duration.seconds(90 * 86_400)
  /// A registration is called expiring in the last part of its life.
  package var deviceExpiring = Duration.seconds(14 * 86_400)
  /// An enrol token holds so long when no time is given.
  package var enrolLife = Duration.seconds(3600)
  /// No enrol token holds longer than this.
  package var enrolLifeMax = Duration.seconds(7 * 86_400)
  /// Sign-ins of one user through an identity provider; the longest unused one makes room.
  package var signInsPerUserMax = 256
  /// A sign-in that was not used for so long is forgotten; using it lets it in anew.
  package var signInLife = Duration.seconds(180 * 86_400)
  /// Access tokens of one user that hold.
  package var tokensPerUserMax = 1000
  /// How long a token that was revoked or has expired is listed, and its presenter told why. A revoked
  /// sign-in through an identity provider stays for good: its person may present the provider's token
  /// again, and would be let in if the revocation were forgotten.
  package var endedTokenLife = Duration.seconds(60 * 86_400)
  /// Tokens of one user that were revoked or have expired; the oldest are forgotten first. As many
  /// as hold at most: more are those of a program that makes one for each run.
  package var endedTokensPerUserMax = 1000
  package var operationsPerBatchMax = 1000
  /// Items that operations change in one transaction, so that other users' writes get their turn.
  /// A bulk operation on more is worked off in chunks of this size.
  package var bulkChunkItemsMax = 500
  /// How long such a transaction goes on to the next item; the rest is for the next one.
  package var bulkTimeMax = Duration.milliseconds(100)
  package var pageItemsMax = 5000
  /// Ends a page early, so that large items do not fill the memory.
  package var pageBytesMax = 4 * 1024 * 1024
  /// Rows that a signal brings along; more are for the device to ask for.
  package var enclosedRowsMax = 20
  /// The same for their content, counted as in a page.
  package var enclosedBytesMax = 16 << 10
  /// The length, the conditions and the nesting of a `$filter`.
  package var filterBytesMax = 4096
  package var filterTermsMax = 100
  package var filterDepthMax = 12
  /// Items that one page of a list with a filter looks at; some milliseconds of work. A step of a
  /// bulk operation looks at no more either.
  package var listScanMax = 10_000
  /// How long a page of a list may take. What it has not looked at by then is for the next page,
  /// because a filter may cost milliseconds an item. Long enough for a slow disk, short enough for
  /// the lists that wait behind it.
  package var listTimeMax = Duration.milliseconds(250)
  /// Texts that one page of a search reads while the index is far behind.
  package var searchScanMax = 1000
  /// Items that a count with a filter looks at; some tenths of a second.
  package var countScanMax = 200_000
  /// How long a count may take; past it, it is not supported, as past ``countScanMax``.
  package var countTimeMax = Duration.seconds(1)
  /// Lists of one user that are read at once. One reader each: two keep a client with two lists
  /// quick, and leave the other readers to others.
  package var listsPerUserMax = 2
  /// Lists of one user that wait for their turn; more are refused. A screen full of lists, at some
  /// milliseconds each.
  package var listsWaitingPerUserMax = 32
  /// Items turned into tombstones, or tombstones dropped, in one transaction of a sweep.
  package var sweepItemsMax = 200
  /// Rows of a removed user deleted in one transaction.
  package var removalRowsMax = 500
  /// A database of a version whose files could not shrink is rewritten, once, when it is no larger
  /// than this; writes wait meanwhile, for a second or two at this size.
  package var compactionBytesMax = 256 << 20
  /// Open streams of signals of one user, on all devices.
  package var streamsPerUserMax = 256
  /// Open streams of signals of one access token; a device needs one.
  package var streamsPerTokenMax = 16
  /// Web hooks of one user; 0 allows none.
  package var subscriptionsPerUserMax = 20
  /// How far ahead a subscription may expire, when it is made and at each renewal.
  package var subscriptionLifeMax = Duration.seconds(30 * 86_400)
  /// Graph's limit.
  package var clientStateCharactersMax = 128
  /// Changes told in one request to a hook.
  package var hookChangesMax = 100
  /// The pause after a hook's first failure; it doubles with each further one.
  package var hookRetryDelay = Duration.seconds(5)
  /// The longest pause between two attempts, unless the hook asks for a longer one.
  package var hookRetryDelayMax = Duration.seconds(30 * 60)
  /// How long a hook may fail before what waits for it is dropped; Graph's four hours.
  package var hookRetryBudget = Duration.seconds(4 * 3600)

  /// Aliases of one app.
  package var aliasesMax = 16
  /// Apps of one user: those that hold items or tombstones, and those that were configured.
  package var appsMax = 1000
  /// The apps of a user beyond which a publisher of any app makes no new one: the rest is left for
  /// the user's own devices (SECURITY-7).
  package var publishersAppsMax: Int { max(1, appsMax - appsMax / 4) }
  /// What happens to a publication that goes beyond a limit of items or bytes.
  package var quotaPolicy = QuotaPolicy.refuse
  /// Live items of one app.
  package var appItemsMax = 2_000_000
  /// Live items and tombstones of one app. Beyond, new items are refused whatever the policy,
  /// because a tombstone has to live its time.
  package var appRowsMax = 4_000_000
  /// Of text in the live items of one app.
  package var appBytesMax = 2 << 30
  /// Live items of one user. Every app may have its even share of it, divided by ``appsMax``,
  /// whatever the others hold; so too with the next three.
  package var userItemsMax = 5_000_000
  /// Live items and tombstones of one user.
  package var userRowsMax = 10_000_000
  /// Of text in the live items of one user.
  package var userBytesMax = 8 << 30
  /// Publications of all apps of one user in a minute; so many at once after a quiet one.
  package var userPublishesPerMinute = 120_000
  /// Publications of one app in a minute; so many at once after a quiet one.
  package var appPublishesPerMinute = 60_000

  package init() {}
}

/// What a store does when an app, or its user, holds as much as it may.
package enum QuotaPolicy: String, Hashable, Sendable, CaseIterable {
  /// The publication is refused.
  case refuse
  /// The app's oldest items are deleted to make room, but kept and snoozed ones.
  case evictOldest = "evict-oldest"
}

/// How much one page may hold. A page has at least one row when there is one.
package struct PageLimit: Hashable, Sendable {
  package var rows: Int
  /// Bytes of content, as JSON writes it: UTF-8, with six bytes for each control character.
  package var bytes: Int

  package init(rows: Int, bytes: Int) {
    self.rows = rows
    self.bytes = bytes
  }
}
