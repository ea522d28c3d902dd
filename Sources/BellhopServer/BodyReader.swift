package import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// A request body that is read as it arrives, and whose beginning can be read ahead.
package struct BodyReader {
  /// The buffers that were read ahead and not returned yet.
  private var pending: [ByteBuffer] = []
  /// Nil after the end of the body.
  private var source: RequestBody.AsyncIterator?
  /// The declared length; nil if the client sent none.
  let length: Int?

  init(_ body: RequestBody, length: Int?) {
    source = body.makeAsyncIterator()
    self.length = length
  }

  /// Creates a reader of bytes in memory.
  package init(_ bytes: [UInt8]) {
    pending = [ByteBuffer(bytes: bytes)]
    length = bytes.count
  }

  /// Returns the next bytes; nil at the end.
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
      throw RequestError.badRequest("The body could not be read completely.")
    }
    source = buffer == nil ? nil : iterator
    return buffer
  }

  /// Reads the whole body ahead if it is no longer than `bytesMax`. Returns nil for a longer one.
  ///
  /// The bytes stay available to `next()`.
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
  /// Returns a reader of the body as a file. A compressed body is refused.
  ///
  /// - Throws: ``RequestError``.
  package func fileBody() throws -> BodyReader {
    guard try contentCoding() == nil else {
      throw RequestError(
        .unsupportedMediaType, .unsupportedMediaType,
        "Content-Encoding is wrong: expected none, because files are stored unchanged.")
    }
    return BodyReader(
      request.body, length: request.headers[.contentLength].flatMap { Int($0) })
  }

  /// Stores the body as a file.
  ///
  /// It is written to disk as it arrives, within the size limit.
  ///
  /// - Parameters:
  ///   - app: The app that the file is for, if known.
  ///   - bytesMax: The maximum size; nil for the store's own limit.
  ///   - share: A limit on all files that are uploaded with this token.
  /// - Throws: ``RequestError``, `StoreError`. Nothing of the file is kept then.
  package func receiveFile(
    named name: String?, app: String?, from body: inout BodyReader, bytesMax: Int? = nil,
    share: FileOwner.Share? = nil, _ principal: Principal
  ) async throws -> StoredFile {
    let bytesMax = bytesMax ?? store.limits.attachmentBytesMax
    if let length = body.length, length > bytesMax {
      throw RequestError.bodyTooLarge(bytesMax: bytesMax)
    }
    var intake = try await store.beginFile(
      named: name, size: body.length,
      of: FileOwner(user: principal.user.id, token: principal.token.id, app: app, share: share))
    while let buffer = try await body.next() {
      guard intake.size + buffer.readableBytes <= bytesMax else {
        throw RequestError.bodyTooLarge(bytesMax: bytesMax)
      }
      try await intake.write(Array(buffer.readableBytesView))
    }
    guard intake.size > 0 else {
      throw RequestError.badRequest("The body is wrong: expected a file; it is empty.")
    }
    return try await intake.finish()
  }

  /// Publishes with uploaded files, which are removed if publishing fails.
  package func publishing(
    _ files: [StoredFile], _ publish: () async throws -> Published
  ) async throws -> Published {
    do {
      let published = try await publish()
      // A repeated publication returns the first response, with the files of the first one.
      if published.isRepeat { await remove(files) }
      return published
    } catch {
      await remove(files)
      throw error
    }
  }

  /// Removes files that no publication refers to.
  package func remove(_ files: [StoredFile]) async {
    // A file that cannot be removed is removed later, as an unused upload.
    for file in files { try? await store.removeUpload(file) }
  }
}
