public import BellhopModel
public import BellhopScreen
public import BellhopText

/// The whole state of the screen, as a value.
///
/// It holds the rows that are visible and about a screen more on either side, whatever the size of
/// the lists. ``reduce(_:_:)`` is the only thing that changes it.
public struct InboxState: Sendable {
  /// The size of the terminal.
  public internal(set) var size: Size
  /// The time of the last ``Message/tick(_:)``.
  public internal(set) var now: Timestamp
  /// The zone in which times are drawn.
  public let zone: ZoneRules
  /// The account as the header names it, such as `alice@home`.
  public let accountLabel: SafeText
  public let keymap: Keymap
  public internal(set) var connection = ConnectionStatus(.connecting)
  public internal(set) var firstRunHelp: FirstRunHelp?
  var ids: UniqueIDSource

  /// - Parameters:
  ///   - now: By the store's clock.
  ///   - ids: Makes the ids of operations; its random words come from the composition root, so that
  ///     tests repeat.
  public init(
    size: Size, now: Timestamp, zone: ZoneRules, accountLabel: SafeText,
    ids: UniqueIDSource, keymap: Keymap = .standard
  ) {
    self.size = size
    self.now = now
    self.zone = zone
    self.accountLabel = accountLabel
    self.ids = ids
    self.keymap = keymap
  }

  /// When the next ``Message/tick(_:)`` would change what is drawn; nil when only messages can.
  public var nextWake: Timestamp? { nil }
}
