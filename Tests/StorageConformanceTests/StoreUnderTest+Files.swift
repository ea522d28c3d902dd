import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import Foundation
import Testing

extension StoreUnderTest {
  func upload(
    _ name: String?, _ bytes: [UInt8], app: String? = nil, token: AccessTokenID? = nil,
    user: UserID? = nil, share: FileOwner.Share? = nil
  ) async throws -> StoredFile {
    var intake = try await service.beginFile(
      named: name, size: bytes.count,
      of: FileOwner(
        user: user ?? self.user, token: token ?? self.token.token.id, app: app, share: share))
    for start in stride(from: 0, to: bytes.count, by: 30_000) {
      try await intake.write(Array(bytes[start...].prefix(30_000)))
    }
    return try await intake.finish()
  }

  @discardableResult
  func publish(
    _ title: String, app: String = "backups", appID: String? = nil, attaching files: [StoredFile],
    _ adjust: (inout Content) -> Void = { _ in }
  ) async throws -> Published {
    var content = Content(app: app, appNotificationID: appID, visual: VisualContent(title: title))
    content.extras.attachments = files.map { ContentExtras.Attachment(url: $0.id.path) }
    adjust(&content)
    return try await service.publish(
      PublishRequest(content, publisher: token.token.id), for: user)
  }

  func publish(
    _ title: String, attaching id: FileID, by token: AccessTokenID
  ) async throws -> Published {
    var content = Content(app: "backups", visual: VisualContent(title: title))
    content.extras.attachments = [ContentExtras.Attachment(url: id.path)]
    return try await service.publish(PublishRequest(content, publisher: token), for: user)
  }

  /// The bytes at the file's address; nil if there are none.
  func bytes(_ file: StoredFile) async throws -> [UInt8]? {
    do throws(StoreError) {
      let (known, bytes) = try await service.openFile(file.id)
      #expect(known.id == file.id)
      return try? await bytes.read(at: 0, count: known.size)
    } catch {
      guard error == .notFound(what: "file") else { throw error }
      return nil
    }
  }

  /// The number of files on the shelf.
  func shelved() async throws -> Int {
    var count = 0
    for first in 0..<256 {
      let prefix = (first < 16 ? "0" : "") + String(first, radix: 16)
      count += try await shelf.hashes(beginningWith: prefix).count
    }
    return count
  }
}
