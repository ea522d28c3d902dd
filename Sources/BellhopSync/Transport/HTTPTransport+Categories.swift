package import BellhopModel
package import BellhopWire
import NIOHTTP1

extension HTTPTransport {
  /// Returns the categories that an app has registered, by id.
  package func categories(ofApp app: String) async throws(TransportError) -> [Category] {
    try await exchange(CategoryListPayload.self, .GET, .categories(app: app)).value
  }

  /// Registers or replaces a category of an app.
  package func register(
    _ draft: CategoryDraft, as id: String, ofApp app: String
  ) async throws(TransportError) -> Category {
    try await exchange(
      Category.self, .PUT, .category(id, app: app), body: try Self.encoded(draft))
  }

  /// Removes a category of an app.
  package func removeCategory(_ id: String, ofApp app: String) async throws(TransportError) {
    try await perform(.DELETE, .category(id, app: app))
  }

  /// Changes the settings of an app at the store, before anything that is published afterwards.
  package func configure(
    _ app: String, _ change: AppSettingsChange
  ) async throws(TransportError) {
    _ = try await exchange(AppPayload.self, .PATCH, .app(app), body: try Self.encoded(change))
  }
}
