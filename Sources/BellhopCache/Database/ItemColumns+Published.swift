import BellhopModel
import BellhopSearch

/// The published fields, where rules changed those of the columns.
extension ItemColumns {
  /// The SQL expression for the app that published the item.
  static let publishedApp = "ifnull(json_extract(item.published, '$.app'), item.app)"
  /// The SQL expression for the group that its publisher gave it.
  static let publishedGroup = """
    CASE WHEN item.published IS NULL THEN item.group_name
      ELSE json_extract(item.published, '$.group') END
    """
  /// The SQL expression for the raw value of the level that its publisher gave it.
  static let publishedPriority =
    "ifnull(json_extract(item.published, '$.priority'), item.priority)"
}

extension EffectiveFields {
  /// Reads the fields as the publisher wrote them.
  init(publishedIn row: NamedRow<ItemColumn>) throws {
    if let published = row.textOrNil(.published) {
      self = try JSON.decode(published)
    } else {
      app = row.text(.app)
      group = row.textOrNil(.groupName)
      priority = Priority(rawValue: row.count(.priority)) ?? .normal
      tags = TagText.decode(row.textOrNil(.tags))
    }
  }
}
