package import BellhopModel

/// What a publisher changes of an item that it published: a merge patch (RFC 7396) of the body of
/// the publication. What it does not name stays; null removes.
package struct PublishPatchPayload: Hashable, Sendable {
  private var patch: JSONValue

  /// - Throws: ``WireError`` when the bytes hold no JSON object.
  package init(
    parsing bytes: some Collection<UInt8>, depthMax: Int = WireJSON.depthMax
  ) throws(WireError) {
    patch = try JSONValue(parsing: bytes, depthMax: depthMax)
    guard case .object = patch else {
      throw .invalid(field: "", expectation: "one JSON object, not an array or a value")
    }
  }

  /// The content after the change.
  ///
  /// - Throws: ``WireError/invalid(field:expectation:)`` when the result is no publication, or
  ///   would be one of another app or under another app id.
  package func applied(to content: Content) throws(WireError) -> Content {
    let present = try JSONValue(parsing: WireJSON.encode(PublishPayload(content)))
    let changed = try WireJSON.decode(
      PublishPayload.self, from: present.merged(with: patch).bytes
    ).content
    guard changed.app == content.app else {
      throw .invalid(field: "targetHostName", expectation: "the item's own, or none")
    }
    guard changed.appNotificationID == content.appNotificationID else {
      throw .invalid(field: "appNotificationId", expectation: "the item's own, or none")
    }
    return changed
  }
}
