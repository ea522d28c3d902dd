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
    try self.init(
      published: row.textOrNil(.published), app: row.text(.app), group: row.textOrNil(.groupName),
      priority: row.count(.priority), tags: row.textOrNil(.tags))
  }

  /// Decodes the published fields; if there are none, they are those of the other columns.
  init(published: String?, app: String, group: String?, priority: Int, tags: String?) throws {
    if let published {
      self = try JSON.decode(published)
    } else {
      self.app = app
      self.group = group
      self.priority = Priority(rawValue: priority) ?? .normal
      self.tags = TagText.decode(tags)
    }
  }
}
