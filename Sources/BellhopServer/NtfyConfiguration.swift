internal import BellhopStore

/// The ntfy dialect's rules for anonymous callers, and its time zone.
///
/// No caller is admitted without a token unless ``anonymousUser`` is set.
package struct NtfyConfiguration: Sendable {
  /// The access that a caller without a token has.
  package enum AnonymousAccess: String, Sendable, CaseIterable {
    case publish
    case readWrite = "read-write"
  }

  /// The user who owns the anonymous topics.
  package var anonymousUser: String?
  /// The topics that are open: names, `ci.*` for apps below `ci`, or `*` for all.
  package var anonymousTopics: [String] = []
  package var anonymousAccess = AnonymousAccess.publish
  /// The maximum anonymous publications and changes per minute from one `ClientNetwork`.
  package var anonymousPublishesPerMinute = 60
  /// The maximum anonymous publications and changes per minute from all networks together.
  package var allAnonymousPublishesPerMinute = 600
  /// The maximum anonymous polls and new streams per minute from one `ClientNetwork`.
  package var anonymousReadsPerMinute = 60
  /// The maximum anonymous polls and new streams per minute from all networks together.
  package var allAnonymousReadsPerMinute = 600
  /// The number of the user's apps from which an anonymous publication may not create another.
  ///
  /// Leaves space for the user's own apps when anonymous callers use many topics.
  package var anonymousAppsMax = 100
  /// The maximum size of an anonymously uploaded file; 0 allows none.
  package var anonymousAttachmentBytesMax = 0
  /// The maximum total size of anonymously uploaded files, each counted as at least 4 KiB.
  ///
  /// A sixteenth of a user's quota, which leaves space for the user's own files.
  package var allAnonymousAttachmentBytesMax = 64 << 20
  /// The IANA time zone of delays such as `tomorrow 9am` for users without one; nil for the
  /// machine's.
  package var timeZone: String?

  package init() {}

  /// Returns the anonymous rate limits per minute, for one network and for all together.
  func anonymousRates(of use: ServerActivity.AnonymousUse) -> (each: Int, all: Int) {
    switch use {
    case .publish: (anonymousPublishesPerMinute, allAnonymousPublishesPerMinute)
    case .read: (anonymousReadsPerMinute, allAnonymousReadsPerMinute)
    }
  }

  /// Whether the topic is open to callers without a token.
  package func isAnonymous(_ topic: String) -> Bool {
    anonymousUser != nil
      && anonymousTopics.contains { AppPattern($0)?.allows(topic) ?? false }
  }
}
