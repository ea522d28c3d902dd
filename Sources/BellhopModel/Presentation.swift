/// What kind of device shows an item, as far as publishers tell devices apart.
public enum DevicePlatform: Hashable, Sendable {
  /// Counts as every platform: a terminal, and whatever else is none of Graph's.
  case every
  /// One of Graph's `platformTypes`: Windows, iOS, Android, WebPush.
  case one(String)

  private static let known: Set<String> = ["windows", "ios", "android", "webpush"]

  /// The platform of a device that is registered with this word.
  public init(registeredAs word: String) {
    self = Self.known.contains(word.lowercased()) ? .one(word) : .every
  }

  /// Whether it is among the platforms; case does not matter.
  public func isAmong(_ types: [String]) -> Bool {
    switch self {
    case .every: !types.isEmpty
    case .one(let word): types.contains { $0.lowercased() == word.lowercased() }
    }
  }
}

/// What a device shows people of an item.
public enum Presentation: Hashable, Sendable {
  /// Nothing: it is not its time, it is for other platforms, or for programs only.
  case nothing
  /// What its publisher wrote for people.
  case visual(VisualContent)
  /// What its publisher wrote for devices that got the raw content too late to act on it.
  case fallback(VisualContent)

  /// The words to show, whichever they are.
  public var content: VisualContent? {
    switch self {
    case .nothing: nil
    case .visual(let content), .fallback(let content): content
    }
  }
}

/// What a device of a platform shows of `item` at `now`, which is the *store's* time.
///
/// Graph's `targetPolicy` and `fallbackPolicy`: they limit what is shown, never what is
/// synchronised. A store keeps nothing of who fetched what; each device knows when it received an
/// item itself.
/// - Parameter received: when the device received this content, by the store's clock.
public func presentation(
  of item: UserNotification, on platform: DevicePlatform, received: Timestamp, at now: Timestamp
) -> Presentation {
  switch placement(item, at: now).placement {
  case .scheduled, .gone: .nothing
  case .tray, .snoozed, .history: item.presentation(on: platform, received: received)
  }
}

extension UserNotification {
  /// What a device of the platform shows of the item whenever it shows it.
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

  /// From when on a device that only now receives the content shows the fallback.
  private func fallbackTime(_ policy: ContentExtras.FallbackPolicy) -> Timestamp {
    // A publication that replaced the item in place is later than its arrival; when that was is
    // known until somebody changes the item.
    let published = state.sequence == state.contentSequence ? max(arrival, state.changed) : arrival
    return published.advanced(by: .seconds(policy.fallbackDelayInSeconds))
  }

  /// The item as a terminal holds it: one that came too late for its raw content shows what its
  /// publisher wrote for that case, and is in the tray with it.
  ///
  /// - Parameter received: when this content was received, by the store's clock.
  public func presented(received: Timestamp) -> UserNotification {
    guard case .fallback(let visual) = presentation(on: .every, received: received) else {
      return self
    }
    var item = self
    item.content.visual = visual
    return item
  }
}
