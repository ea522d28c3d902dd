package import BellhopModel

/// A category as an app registers it. Its id is in the address.
package struct CategoryDraft: Hashable, Sendable, Codable {
  package var actions: [ActionDraft]
  package var options: [String]
  package var hiddenPreviewsBodyPlaceholder: String?

  private enum CodingKeys: String, CodingKey {
    case actions, options, hiddenPreviewsBodyPlaceholder
  }

  package init(
    actions: [ActionDraft], options: [String] = [], hiddenPreviewsBodyPlaceholder: String? = nil
  ) {
    self.actions = actions
    self.options = options
    self.hiddenPreviewsBodyPlaceholder = hiddenPreviewsBodyPlaceholder
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    actions = try container.decodeIfPresent([ActionDraft].self, forKey: .actions) ?? []
    options = try container.decodeIfPresent([String].self, forKey: .options) ?? []
    hiddenPreviewsBodyPlaceholder = try container.decodeIfPresent(
      String.self, forKey: .hiddenPreviewsBodyPlaceholder)
  }

  package func category(id: String) -> Category {
    Category(
      id: id, actions: ActionDraft.actions(actions) ?? [], options: options,
      hiddenPreviewsBodyPlaceholder: hiddenPreviewsBodyPlaceholder)
  }
}

/// The categories of an app, by id.
package struct CategoryListPayload: Hashable, Sendable, Codable {
  package var value: [Category]

  package init(value: [Category]) { self.value = value }
}

extension Category {
  /// Returns the category without the headers of its requests, which may contain secrets.
  package func withoutHeaders() -> Category {
    var category = self
    for index in category.actions.indices { category.actions[index].headers = nil }
    return category
  }
}
