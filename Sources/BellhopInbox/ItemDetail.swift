package import BellhopModel
package import BellhopText

/// Everything that the detail pane shows of one item.
package struct ItemDetail: Hashable, Sendable {
  /// The current row of the item.
  package var row: RowSummary
  /// The app's host, if it differs from the app's display name.
  package var host: SafeText?
  /// The complete body, up to `SafeText.bodyBytesMax`, with its line breaks.
  package var body: SafeText
  /// The format of the shown body or raw content.
  package var format: BodyFormat
  /// The beginning of raw content, for an item without other content.
  package var raw: SafeText?
  package var tags: [SafeText]
  /// The actions of the item.
  package var actions: [ItemAction] = []
  package var attachments: [ItemAttachment] = []
  /// The words for the times of the item's trigger.
  package var trigger: SafeText?
  /// Whether only devices in development receive the item.
  package var isDevelopment = false
  /// The schedule by which it is delivered; nil for an item that is delivered at once.
  package var schedule: Schedule?
  /// The time of first publication.
  package var created: Timestamp
  /// The author of the read state.
  package var readBy: Provenance?
  /// The author of the pinned state.
  package var pinnedBy: Provenance?
  /// The author of the cancellation of its deliveries, if they were cancelled.
  package var cancelledBy: Provenance?
  /// The occurrences of an item into which repeats collapse; nil for any other.
  package var repeats: Repeats?
  /// The end of the alert, if its publisher has resolved it.
  package var resolution: HistoryText.Resolution?
  /// Sentences about what rules did to how the item is listed and announced.
  package var rules: [SafeText] = []
  /// This device's changes without effect, in words; newest first.
  package var outcomes: [SafeText] = []

  /// The maximum number of tags that are drawn.
  package static let tagsMax = 16

  package init(
    row: RowSummary, host: SafeText? = nil, body: SafeText, format: BodyFormat = .plain,
    raw: SafeText? = nil, tags: [SafeText] = [],
    created: Timestamp, readBy: Provenance? = nil, pinnedBy: Provenance? = nil
  ) {
    self.row = row
    self.host = host
    self.body = body
    self.format = format
    self.raw = raw
    self.tags = tags
    self.created = created
    self.readBy = readBy
    self.pinnedBy = pinnedBy
  }

  /// Creates the detail of `item`, in addition to its row.
  ///
  /// - Parameter category: The item's category as it is now.
  package init(
    _ item: UserNotification, category: Category? = nil, row: RowSummary, device: DeviceID? = nil
  ) {
    let content = item.content
    let host = SafeText(item.effectiveApp, byteLimit: RowSummary.nameBytesMax)
    self.init(
      row: row, host: host == row.app ? nil : host,
      body: SafeText(
        content.visual?.body ?? "", lineBreaks: .kept, byteLimit: SafeText.bodyBytesMax),
      format: BodyFormat(of: content),
      raw: content.visual == nil
        ? content.raw.map { SafeText($0, lineBreaks: .kept, byteLimit: SafeText.bodyBytesMax) }
        : nil,
      tags: item.effectiveTags.prefix(Self.tagsMax).map {
        SafeText($0, byteLimit: RowSummary.nameBytesMax)
      },
      created: item.created, readBy: Provenance(item.state.readState.change, device: device),
      pinnedBy: Provenance(item.state.pinned.change, device: device))
    if item.state.cancelled.value {
      cancelledBy = Provenance(item.state.cancelled.change, device: device)
    }
    attachments = (content.extras.attachments ?? []).prefix(ItemAttachment.countMax).map {
      var attachment = ItemAttachment($0)
      // An attachment that expires with its item needs no time of its own.
      if let end = item.expires, attachment.expires.map({ $0 >= end }) == true {
        attachment.expires = nil
      }
      return attachment
    }
    repeats = item.repeats
    resolution = HistoryText.Resolution(item)
    rules = RuleEffectText.lines(item)
    trigger = content.trigger.map(TriggerText.phrase)
    isDevelopment = content.extras.environment == .development
    schedule = row.placement == .scheduled || content.trigger != nil ? content.schedule : nil
    actions = item.actions(with: category).prefix(ItemAction.countMax).map {
      var action = ItemAction($0)
      action.isAnswer = content.extras.awaitsResponse == true
      return action
    }
  }
}
