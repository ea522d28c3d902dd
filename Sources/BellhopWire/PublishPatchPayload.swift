package import BellhopModel

/// A publisher's change to an item that it published.
///
/// A merge patch (RFC 7396) of the publication's body: members that it does not name stay, and null
/// removes.
package struct PublishPatchPayload: Hashable, Sendable {
  private var patch: JSONValue

  /// - Throws: ``WireError`` when the bytes are not a JSON object.
  package init(
    parsing bytes: some Collection<UInt8>, depthMax: Int = WireJSON.depthMax
  ) throws(WireError) {
    patch = try JSONValue(parsing: bytes, depthMax: depthMax)
    guard case .object = patch else {
      throw .invalid(field: "", expectation: "one JSON object, not an array or a value")
    }
  }

  /// Returns the content after the change.
  ///
  /// - Throws: ``WireError/invalid(field:expectation:)`` when the result is not a valid
  ///   publication, or would belong to another app or have another app id.
  package func applied(to content: Content) throws(WireError) -> Content {
    let present = try JSONValue(parsing: WireJSON.encode(PublishPayload(content)))
    let changed = try WireJSON.decode(
      PublishPayload.self, from: present.merged(with: patch).bytes
    ).content
    guard changed.app == content.app else {
      throw .invalid(field: "targetHostName", expectation: "the item's own value, or none")
    }
    guard changed.appNotificationID == content.appNotificationID else {
      throw .invalid(field: "appNotificationId", expectation: "the item's own value, or none")
    }
    return changed
  }
}
