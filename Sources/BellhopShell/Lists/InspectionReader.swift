internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText
internal import BellhopWire

extension MergedReader {
  /// Returns all known details of an item; nil if it is gone.
  func inspection(_ key: ItemKey) throws(CacheError) -> ItemInspection? {
    try chosen(key.account).first?.inspection(key)
  }
}

extension MergedReader {
  /// Returns the texts of the items that still exist, in the order of `keys`.
  func texts(_ keys: [ItemKey], asJSON: Bool) throws(CacheError) -> [ItemText] {
    var texts: [ItemText] = []
    for key in keys.prefix(TextUse.itemsMax) {
      guard let text = try chosen(key.account).first?.text(key, asJSON: asJSON) else { continue }
      texts.append(text)
    }
    return texts
  }
}

extension ListReader {
  /// Returns the item's text, or its JSON in the form of `bellhop list --json`.
  func text(_ key: ItemKey, asJSON: Bool) throws(CacheError) -> ItemText? {
    guard let item = try cache.item(key.id), !item.isPendingDelete else { return nil }
    guard asJSON else { return ItemText(item.notification) }
    let json = ItemJSON(
      item.notification, account: cache.account,
      appName: try cache.displayNames()[item.notification.effectiveApp],
      categories: try cache.categories(), isWaiting: item.isPending, at: now())
    return ItemText(item.notification, json: (try? JSONLine.encode(json)) ?? "")
  }

  func inspection(_ key: ItemKey) throws(CacheError) -> ItemInspection? {
    guard let item = try cache.item(key.id), !item.isPendingDelete else { return nil }
    let name = try cache.displayNames()[item.notification.effectiveApp]
    var inspection = ItemInspection(
      item.notification, account: cache.account,
      appName: name.map { SafeText($0, byteLimit: RowSummary.nameBytesMax) }, base: item.base,
      isWaiting: item.isPending,
      payload: (try? JSONLine.encode(PublishedPayload(item.notification))) ?? "",
      device: device)
    inspection.outcomes = try outcomes(of: item)
    return inspection
  }
}
