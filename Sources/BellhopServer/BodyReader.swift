package import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// A body that is read as it comes, of which the beginning can be looked at first.
package struct BodyReader {
  /// What was looked at and not taken yet.
  private var pending: [ByteBuffer] = []
  /// Nil when there is no more to come.
  private var source: RequestBody.AsyncIterator?
  /// How long it says that it is; nil for one that does not say.
  let length: Int?

  init(_ body: RequestBody, length: Int?) {
    source = body.makeAsyncIterator()
    self.length = length
  }

  /// A body that is here already.
  package init(_ bytes: [UInt8]) {
    pending = [ByteBuffer(bytes: bytes)]
    length = bytes.count
  }

  /// The next bytes; nil at the end.
  mutating func next() async throws -> ByteBuffer? {
    if !pending.isEmpty { return pending.removeFirst() }
    return try await receive()
  }

  private mutating func receive() async throws -> ByteBuffer? {
    guard var iterator = source else { return nil }
    let buffer: ByteBuffer?
    do {
      buffer = try await iterator.next()
    } catch {
      throw Failure.badRequest("The body could not be read to its end.")
    }
    source = buffer == nil ? nil : iterator
    return buffer
  }

  /// The whole body if it is no longer than `bytesMax`; nil for a longer one. Nothing is taken.
  package mutating func peek(bytesMax: Int) async throws -> [UInt8]? {
    if let length, length > bytesMax { return nil }
    var count = pending.reduce(0) { $0 + $1.readableBytes }
    while count <= bytesMax {
      guard let buffer = try await receive() else {
        return pending.flatMap { Array($0.readableBytesView) }
      }
      count += buffer.readableBytes
      pending.append(buffer)
    }
    return nil
  }
}

extension Exchange {
  /// The body as a file is taken: as it is, so that nothing may be packed.
  package func fileBody() throws -> BodyReader {
    guard try contentCoding() == nil else {
      throw Failure(
        .unsupportedMediaType, .unsupportedMediaType,
        "Content-Encoding is wrong: a file is taken as it is, so expected none.")
    }
    return BodyReader(
      request.body, length: request.headers[.contentLength].flatMap { Int($0) })
  }

  /// The body as a file: written to the disk as it comes, and held to the limit of a file.
  ///
  /// - Parameters:
  ///   - app: for which it is, where that is known.
  ///   - bytesMax: nil for the store's own limit.
  ///   - share: A limit of all files that come with this token.
  /// - Throws: ``Failure``, ``StoreError``; nothing of it stays then.
  package func receiveFile(
    named name: String?, app: String?, from body: inout BodyReader, bytesMax: Int? = nil,
    share: FileOwner.Share? = nil, _ principal: Principal
  ) async throws -> StoredFile {
    let bytesMax = bytesMax ?? store.limits.attachmentBytesMax
    if let length = body.length, length > bytesMax {
      throw Failure.bodyTooLarge(bytesMax: bytesMax)
    }
    var intake = try await store.beginFile(
      named: name, size: body.length,
      of: FileOwner(user: principal.user.id, token: principal.token.id, app: app, share: share))
    while let buffer = try await body.next() {
      guard intake.size + buffer.readableBytes <= bytesMax else {
        throw Failure.bodyTooLarge(bytesMax: bytesMax)
      }
      try await intake.write(Array(buffer.readableBytesView))
    }
    guard intake.size > 0 else {
      throw Failure.badRequest("The body is wrong: expected a file; it is empty.")
    }
    return try await intake.finish()
  }

  /// Publishes with files that came along; if that fails they are removed again.
  package func publishing(
    _ files: [StoredFile], _ publish: () async throws -> Published
  ) async throws -> Published {
    do {
      let published = try await publish()
      // The first answer is given again, with the files of the first publication.
      if published.isRepeat { await remove(files) }
      return published
    } catch {
      await remove(files)
      throw error
    }
  }

  /// Removes files that no publication names.
  package func remove(_ files: [StoredFile]) async {
    // What stays is removed as an upload that nobody named.
    for file in files { try? await store.removeUpload(file) }
  }
}
