internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import HTTPTypes
internal import Hummingbird

/// The bodies of ntfy's publishers that are files (docs.ntfy.sh/publish/#attach-local-file).
enum NtfyFile {
  /// Returns the body as a message; nil if it is a file.
  ///
  /// A file has a name, a media type, bytes that are not UTF-8, or more bytes than any message of
  /// the store.
  ///
  /// - Throws: `RequestError` for a body that is not a text, in a request that also links to a file.
  static func text(
    of body: inout BodyReader, _ parameters: NtfyParameters, _ exchange: Exchange
  ) async throws -> String? {
    let isLink = parameters["attach"] != nil
    if !isLink, parameters["filename"] != nil { return nil }
    let type = exchange.request.headers[.contentType]?.lowercased() ?? ""
    let isMedia = ["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
    let bytesMax = min(
      exchange.configuration.bodyBytesMax, exchange.store.limits.visualBodyBytesMax)
    let bytes = try await body.peek(bytesMax: bytesMax)
    if let bytes, bytes.isEmpty || !isMedia || isLink,
      let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0)
    {
      return text
    }
    guard isLink else { return nil }
    guard bytes == nil else { throw RequestError.ntfy(.messageNotText) }
    throw RequestError.bodyTooLarge(bytesMax: bytesMax)
  }

  /// Stores the body as a file.
  static func receive(
    _ body: inout BodyReader, _ parameters: NtfyParameters, _ topic: String, _ exchange: Exchange,
    _ principal: Principal
  ) async throws -> StoredFile {
    let bytesMax = exchange.fileBytesMax(for: principal)
    guard bytesMax > 0 else {
      throw RequestError.ntfy(
        .noAttachments,
        principal.isAnonymous
          ? "a file needs an access token; nothing was published"
          : "this store does not accept files; nothing was published")
    }
    return try await exchange.receiveFile(
      named: parameters["filename"], app: topic, from: &body, bytesMax: bytesMax,
      share: exchange.fileShare(for: principal), principal)
  }
}

extension Exchange {
  /// Returns the maximum size of a file that the caller may upload to a topic; 0 for none.
  func fileBytesMax(for principal: Principal) -> Int {
    let limits = store.limits
    guard store.keepsFiles, limits.appAttachmentsBytesMax > 0 else { return 0 }
    return principal.isAnonymous
      ? min(configuration.ntfy.anonymousAttachmentBytesMax, limits.attachmentBytesMax)
      : limits.attachmentBytesMax
  }

  /// Returns the share of the user's attachments that anonymous uploads may take together.
  ///
  /// Nil for a caller with a token, to whom only the limits of the app and the user apply.
  func fileShare(for principal: Principal) -> FileOwner.Share? {
    guard principal.isAnonymous else { return nil }
    return FileOwner.Share(
      bytesMax: configuration.ntfy.allAnonymousAttachmentBytesMax,
      name: "attachments uploaded without an access token; nothing was published")
  }
}
