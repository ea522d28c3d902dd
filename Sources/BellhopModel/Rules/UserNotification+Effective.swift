extension UserNotification {
  /// The app under which the item is listed: that of a rule, or else the published one.
  public var effectiveApp: String { state.applied.value.app ?? content.app }

  /// The group in which the item is listed: that of a rule, or else the published one.
  public var effectiveGroup: String? { state.applied.value.group ?? content.group }

  /// The level at which the item is listed and announced: that of a rule, or else the published one.
  public var effectivePriority: Priority { state.applied.value.level ?? content.priority }

  /// The published tags, and those that rules add.
  public var effectiveTags: [String] {
    let added = state.applied.value.tags
    return added.isEmpty
      ? content.tags : content.tags + added.filter { !content.tags.contains($0) }
  }

  /// The content as lists show it and searches find it: with the fields that rules set.
  package var effectiveContent: Content {
    guard state.applied.value != .empty else { return content }
    var shown = content
    shown.app = effectiveApp
    shown.group = effectiveGroup
    shown.priority = effectivePriority
    shown.tags = effectiveTags
    return shown
  }

  /// Whether a rule silences the item: devices show it, and do not ring.
  public var isSilenced: Bool { state.applied.value.isSilent }
}
