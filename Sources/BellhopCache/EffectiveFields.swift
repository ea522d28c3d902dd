import BellhopModel

/// The fields of an item that rules can change.
struct EffectiveFields: Hashable, Codable {
  var app: String
  var group: String?
  var priority: Priority
  var tags: [String]

  /// Creates the fields that lists show.
  init(_ item: UserNotification) {
    app = item.effectiveApp
    group = item.effectiveGroup
    priority = item.effectivePriority
    tags = item.effectiveTags
  }

  /// Creates the fields as the publisher wrote them.
  init(publishedIn content: Content) {
    app = content.app
    group = content.group
    priority = content.priority
    tags = content.tags
  }
}

extension ItemRecord {
  /// The item with the shown registers, which rules and pending operations have set.
  private var withRules: UserNotification { shown == nil ? base : notification }

  /// The fields by which lists show and count the item.
  var effective: EffectiveFields { EffectiveFields(withRules) }

  /// The content as searches find it.
  var searchable: Content { withRules.effectiveContent }

  /// Whether a rule silences the item.
  var isSilenced: Bool { withRules.isSilenced }

  /// The app under which the item is counted.
  var countedApp: String {
    Mutant.movedAppUncounted.isOn ? base.content.app : effective.app
  }

  /// Returns the published fields if they differ from the effective ones, or nil.
  func published(besides effective: EffectiveFields) -> EffectiveFields? {
    let published = EffectiveFields(publishedIn: base.content)
    return published == effective ? nil : published
  }
}
