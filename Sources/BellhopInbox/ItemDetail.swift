package import BellhopModel
package import BellhopText

/// Everything the detail pane shows of one item.
package struct ItemDetail: Hashable, Sendable {
  /// The line it belongs to, as it is now.
  package var row: RowSummary
  /// The app's host, where it is not what the app is called.
  package var host: SafeText?
  /// The body whole, up to `SafeText.bodyBytesMax`, with its line breaks.
  package var body: SafeText
  /// How what is shown of the body, or of raw content, is written.
  package var format: BodyFormat
  /// The beginning of raw content, for an item that has nothing else.
  package var raw: SafeText?
  package var tags: [SafeText]
  /// What a person can do with it.
  package var actions: [ItemAction] = []
  package var attachments: [ItemAttachment] = []
  /// First publication.
  package var created: Timestamp
  /// Who marked it read or unread.
  package var readBy: Provenance?
  /// Who said to keep it.
  package var keptBy: Provenance?
  /// Changes of this device's that did not come to anything, in words; the newest first.
  package var outcomes: [SafeText] = []

  /// How many tags are drawn.
  package static let tagsMax = 16

  package init(
    row: RowSummary, host: SafeText? = nil, body: SafeText, format: BodyFormat = .plain,
    raw: SafeText? = nil, tags: [SafeText] = [],
    created: Timestamp, readBy: Provenance? = nil, keptBy: Provenance? = nil
  ) {
    self.row = row
    self.host = host
    self.body = body
    self.format = format
    self.raw = raw
    self.tags = tags
    self.created = created
    self.readBy = readBy
    self.keptBy = keptBy
  }

  /// The detail of `item` beside its line.
  package init(_ item: UserNotification, row: RowSummary, device: DeviceID? = nil) {
    let content = item.content
    let host = SafeText(content.app, byteLimit: RowSummary.nameBytesMax)
    self.init(
      row: row, host: host == row.app ? nil : host,
      body: SafeText(
        content.visual?.body ?? "", lineBreaks: .kept, byteLimit: SafeText.bodyBytesMax),
      format: BodyFormat(of: content),
      raw: content.visual == nil
        ? content.raw.map { SafeText($0, lineBreaks: .kept, byteLimit: SafeText.bodyBytesMax) }
        : nil,
      tags: content.tags.prefix(Self.tagsMax).map {
        SafeText($0, byteLimit: RowSummary.nameBytesMax)
      },
      created: item.created, readBy: Provenance(item.state.readState.change, device: device),
      keptBy: Provenance(item.state.kept.change, device: device))
    attachments = (content.extras.attachments ?? []).prefix(ItemAttachment.countMax).map {
      var attachment = ItemAttachment($0)
      // It goes with its item in any case.
      if let end = item.expires, attachment.expires.map({ $0 >= end }) == true {
        attachment.expires = nil
      }
      return attachment
    }
    actions = (content.extras.actions ?? []).prefix(ItemAction.countMax).map { ItemAction($0) }
  }
}
