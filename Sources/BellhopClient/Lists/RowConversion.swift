package import BellhopCache
package import BellhopInbox
package import BellhopModel
internal import BellhopText

extension RowSummary {
  /// Creates the line of a cached row. `names` contains the user's names of apps.
  package init(
    _ row: CachedRow, account: AccountName, names: [String: String], device: DeviceID? = nil
  ) {
    self.init(
      key: ItemKey(account: account, id: row.id), order: row.key.rawValue,
      shortNumber: row.shortNumber,
      app: SafeText(names[row.app] ?? row.app, byteLimit: Self.nameBytesMax),
      group: row.group.map { SafeText($0, byteLimit: Self.nameBytesMax) },
      groupKey: GroupKey(account: account, app: row.app, name: row.group),
      title: SafeText(row.title), subtitle: row.subtitle.map { SafeText($0) },
      preview: SafeText(
        row.bodyStart ?? "", lineBreaks: .joined, byteLimit: Self.previewBytesMax),
      priority: row.priority, facts: row.placementFacts, readState: row.registers.readState.value,
      placement: row.placement, clickURL: row.clickURL,
      contentSequence: row.contentSequence, meaningSequence: row.meaningSequence,
      isWaiting: row.isPending,
      handled: Provenance(row.registers.userActionState.change, device: device))
    appHost = row.app
    publishedApp = row.publishedApp
    occurrence = row.version.occurrence
    ownOperation = row.ownOperation
    take(row.registers)
    repeatCount = row.repeatCount
    resolved = row.resolved
    hasAttachments = row.hasAttachments
    category = row.category
    excerpt = row.excerpt.map {
      SafeText($0, lineBreaks: .joined, byteLimit: Self.previewBytesMax * 2)
    }
  }

  /// Creates the line of a complete cached item.
  package init(
    _ item: CachedItem, account: AccountName, names: [String: String], device: DeviceID? = nil
  ) {
    let notification = item.notification
    self.init(
      notification, account: account, order: item.key.rawValue,
      appName: names[notification.effectiveApp], isWaiting: item.isPending,
      at: item.arrival, on: SystemClock.wallClock, device: device)
    placement = item.placement
    ownOperation = item.ownOperation
  }
}
