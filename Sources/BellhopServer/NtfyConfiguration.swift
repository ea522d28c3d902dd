internal import BellhopStore

/// Whom the ntfy dialect lets in without a token: nobody, unless a user is named for whom that is;
/// and where the clock hangs that its publishers mean.
package struct NtfyConfiguration: Sendable {
  /// What may be done without a token.
  package enum AnonymousAccess: String, Sendable, CaseIterable {
    case publish
    case readWrite = "read-write"
  }

  /// The user whose topics these are.
  package var anonymousUser: String?
  /// Topics, or `ci.*` for apps below `ci`, or `*` for all.
  package var anonymousTopics: [String] = []
  package var anonymousAccess = AnonymousAccess.publish
  /// Publications and changes without a token from one ``ClientNetwork`` in a minute.
  package var anonymousPublishesPerMinute = 60
  /// The same from all together.
  package var allAnonymousPublishesPerMinute = 600
  /// Polls and streams that begin without a token, from one ``ClientNetwork`` in a minute.
  package var anonymousReadsPerMinute = 60
  /// The same from all together.
  package var allAnonymousReadsPerMinute = 600
  /// The apps of the user beyond which a publication without a token makes no further one, so that
  /// a crowd of topics leaves room for the user's own.
  package var anonymousAppsMax = 100
  /// The largest file that may be uploaded without a token; 0 allows none.
  package var anonymousAttachmentBytesMax = 0
  /// The files together that were uploaded without a token and are kept, each counted as at least
  /// 4 KiB. A sixteenth of what a user may keep, so that strangers leave room for the user's own.
  package var allAnonymousAttachmentBytesMax = 64 << 20
  /// The zone of delays such as `tomorrow 9am`, by its IANA name; nil for the machine's.
  package var timeZone: String?

  package init() {}

  /// How often clients without a token may do something in a minute: one network, and all together.
  func anonymousRates(of use: ServerActivity.AnonymousUse) -> (each: Int, all: Int) {
    switch use {
    case .publish: (anonymousPublishesPerMinute, allAnonymousPublishesPerMinute)
    case .read: (anonymousReadsPerMinute, allAnonymousReadsPerMinute)
    }
  }

  /// Whether the topic is open to those without a token.
  package func isAnonymous(_ topic: String) -> Bool {
    anonymousUser != nil
      && anonymousTopics.contains { AppPattern($0)?.allows(topic) ?? false }
  }
}
