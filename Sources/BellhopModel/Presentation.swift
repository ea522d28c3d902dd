/// The platform of a device, by which publishers target devices.
public enum DevicePlatform: Hashable, Sendable {
  /// Counts as every platform: a terminal, and any device that is not one of Graph's platforms.
  case every
  /// One of Graph's `platformTypes`: Windows, iOS, Android, WebPush.
  case one(String)

  private static let known: Set<String> = ["windows", "ios", "android", "webpush"]

  /// Creates the platform of a device that was registered with this word.
  public init(registeredAs word: String) {
    self = Self.known.contains(word.lowercased()) ? .one(word) : .every
  }

  /// Returns whether the platform is in the list, regardless of case.
  public func isAmong(_ types: [String]) -> Bool {
    switch self {
    case .every: !types.isEmpty
    case .one(let word): types.contains { $0.lowercased() == word.lowercased() }
    }
  }
}

/// The part of an item that a device shows to its user.
public enum Presentation: Hashable, Sendable {
  /// Not shown: the item is not due, is for other platforms, or is for programs only.
  case nothing
  /// The publisher's visual content.
  case visual(VisualContent)
  /// The publisher's fallback, for a device that received the raw content too late.
  case fallback(VisualContent)

  /// The visual content to show, from either source.
  public var content: VisualContent? {
    switch self {
    case .nothing: nil
    case .visual(let content), .fallback(let content): content
    }
  }
}

/// Returns what a device of a platform shows of an item at `now`, the *store's* time.
///
/// Implements Graph's `targetPolicy` and `fallbackPolicy`. They limit what is shown, never what is
/// synchronised. A store does not record what a device has fetched; each device knows when it
/// received an item.
///
/// - Parameters:
///   - received: The time at which the device received this content, by the store's clock.
///   - clock: The device's time zones.
public func presentation(
  of item: UserNotification, on platform: DevicePlatform, received: Timestamp, at now: Timestamp,
  by clock: WallClock
) -> Presentation {
  switch placement(item, at: now, on: clock).placement {
  case .scheduled, .gone: .nothing
  case .tray, .snoozed, .handled: item.presentation(on: platform, received: received)
  }
}

extension UserNotification {
  /// Returns what a device of a platform shows of the item, if the item is due.
  public func presentation(
    on platform: DevicePlatform, received: Timestamp
  ) -> Presentation {
    if let target = content.extras.targetPolicy, !platform.isAmong(target.platformTypes) {
      return .nothing
    }
    if let visual = content.visual { return .visual(visual) }
    guard let policy = content.extras.fallbackPolicy, let visual = policy.visualContent,
      platform.isAmong(policy.platformTypes), received >= fallbackTime(policy)
    else { return .nothing }
    return .fallback(visual)
  }

  /// Returns the instant from which a device that first receives the content shows the fallback.
  private func fallbackTime(_ policy: ContentExtras.FallbackPolicy) -> Timestamp {
    // A publication that replaced the item in place is later than its arrival. Its time is known
    // until a device changes the item.
    let published = state.sequence == state.contentSequence ? max(arrival, state.changed) : arrival
    return published.advanced(by: .seconds(policy.fallbackDelayInSeconds))
  }

  /// Returns the item as a terminal presents it.
  ///
  /// If the raw content came too late, the item has the fallback as its visual content, and is in
  /// the tray with it.
  ///
  /// - Parameter received: The time at which this content was received, by the store's clock.
  public func presented(received: Timestamp) -> UserNotification {
    guard case .fallback(let visual) = presentation(on: .every, received: received) else {
      return self
    }
    var item = self
    item.content.visual = visual
    return item
  }
}
