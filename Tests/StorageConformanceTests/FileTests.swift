import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import Foundation
import Testing

@Suite("Files of attachments")
struct FileTests {
  static let day = Duration.seconds(86_400)

  @Test(
    "an upload becomes an attachment with a detected type, and is deleted with its item",
    arguments: BackendKind.allCases)
  func life(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let file = try await store.upload("../../a\u{202e}b.txt", Array("hello".utf8))
    #expect(file.name == "ab.txt")
    #expect(file.type == "text/plain")
    #expect(file.size == 5)
    #expect(file.id.rawValue.utf8.count == 22)
    #expect(!file.id.rawValue.contains(file.hash.rawValue.prefix(8)))
    let item = try await store.publish("with a file", attaching: [file]).item
    let attachment = try #require(item.content.extras.attachments?.first)
    #expect(
      attachment
        == ContentExtras.Attachment(
          name: "ab.txt", url: "/file/\(file.id)", type: "text/plain", size: 5,
          expires: store.clock.now.advanced(by: Self.day * 30)))
    #expect(try await store.service.item(item.id, of: store.user) == item)
    #expect(try await store.bytes(file) == Array("hello".utf8))
    // Only uploads expire after an hour.
    store.clock.advance(by: Self.day)
    try await store.service.sweep()
    #expect(try await store.bytes(file) == Array("hello".utf8))
    try await store.service.delete(item.id, for: store.user)
    #expect(try await store.bytes(file) == nil)
    #expect(try await store.shelved() == 1)
    try await store.service.sweep()
    #expect(try await store.shelved() == 0)
  }

  @Test(
    "equal bytes are stored once, under separate addresses, until the last of them goes",
    arguments: BackendKind.allCases)
  func sharing(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let bytes = [UInt8](repeating: 7, count: 100_000)
    let first = try await store.upload("a.bin", bytes)
    let second = try await store.upload("b.bin", bytes)
    #expect(first.id != second.id)
    #expect(first.hash == second.hash)
    #expect(try await store.shelved() == 1)
    let items = [
      try await store.publish("a", attaching: [first]).item,
      try await store.publish("b", attaching: [second]).item,
    ]
    try await store.service.delete(items[0].id, for: store.user)
    try await store.service.sweep()
    #expect(try await store.bytes(first) == nil)
    #expect(try await store.bytes(second) == bytes)
    try await store.service.delete(items[1].id, for: store.user)
    try await store.service.sweep()
    #expect(try await store.shelved() == 0)
  }

  @Test(
    "an upload that no publication names within an hour is removed", arguments: BackendKind.allCases
  )
  func unnamed(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let file = try await store.upload("a", [1])
    store.clock.advance(by: .seconds(3599))
    try await store.service.sweep()
    #expect(try await store.bytes(file) == [1])
    store.clock.advance(by: .seconds(1))
    #expect(try await store.bytes(file) == nil)
    #expect(
      try await storeError { _ = try await store.publish("late", attaching: [file]) } != nil)
    #expect(try await store.service.sweep().filesRemoved == 1)
    #expect(try await store.shelved() == 0)
  }

  @Test(
    "a replacement keeps the files that it names, and drops the others",
    arguments: BackendKind.allCases)
  func replacement(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let files = [try await store.upload("a", [1]), try await store.upload("b", [2])]
    let first = try await store.publish("one", appID: "x", attaching: files).item
    let third = try await store.upload("c", [3])
    let second = try await store.publish("two", appID: "x", attaching: [files[1], third]).item
    #expect(second.id == first.id)
    #expect(second.content.extras.attachments?.map(\.name) == ["b", "c"])
    #expect(second.content.extras.attachments?[0] == first.content.extras.attachments?[1])
    #expect(try await store.bytes(files[0]) == nil)
    #expect(try await store.bytes(files[1]) == [2])
    #expect(try await store.bytes(third) == [3])
    _ = try await store.publish("three", appID: "x")
    try await store.service.sweep()
    #expect(try await store.shelved() == 0)
  }

  @Test(
    "a publication names only uploads of its own user and token that no other item has",
    arguments: BackendKind.allCases)
  func ownership(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let taken = try await store.upload("a", [1])
    _ = try await store.publish("first", attaching: [taken])
    let other = try await store.service.mintToken(
      named: "other", scope: .publish(.any), for: store.user)
    let foreign = try await store.upload("b", [2], token: other.token.id)
    let stranger = try await store.service.addUser(named: "grace")
    let strange = try await store.upload("c", [3], user: stranger.id)
    let unknown = FileID("AAAAAAAAAAAAAAAAAAAAAA")
    var refusals: Set<StoreError?> = []
    for id in [taken.id, foreign.id, strange.id, unknown] {
      refusals.insert(
        try await storeError {
          _ = try await store.publish("second", attaching: id, by: store.token.token.id)
        })
    }
    #expect(refusals.count == 1, "the refusal does not say whether there is such a file")
    guard case .invalid(field: "attachments.url", _)? = refusals.first.flatMap({ $0 }) else {
      Issue.record("\(refusals)")
      return
    }
    #expect(try await store.titles() == ["first"])
  }

  @Test(
    "a file expires with its item; if the item has no end the file ends first, as both show",
    arguments: BackendKind.allCases)
  func expiry(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let short = try await store.upload("a", [1])
    let item = try await store.publish("short", attaching: [short]) {
      $0.expiration = store.clock.now.advanced(by: Self.day)
    }.item
    #expect(item.content.extras.attachments?.first?.expires != nil, "it may be kept")
    let long = try await store.upload("b", [2])
    let kept = try await store.publish("long", attaching: [long]).item
    store.clock.advance(by: Self.day * 2)
    #expect(try await store.bytes(short) == nil, "before any sweep")
    try await store.service.sweep()
    #expect(try await store.shelved() == 1)
    store.clock.advance(by: Self.day * 29)
    try await store.service.sweep()
    #expect(try await store.shelved() == 0)
    #expect(try await store.service.item(kept.id, of: store.user) == kept)
  }

  @Test("limits of a file, an app and a user apply", arguments: BackendKind.allCases)
  func limits(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.attachmentBytesMax = 10_000
    limits.appAttachmentsBytesMax = 20_000
    limits.userAttachmentsBytesMax = 30_000
    let store = try await StoreUnderTest(kind, limits: limits)
    let large = [UInt8](repeating: 1, count: 10_000)
    func upload(_ app: String?, _ bytes: [UInt8]) async throws -> StoreError? {
      try await storeError { _ = try await store.upload("a", bytes, app: app) }
    }
    #expect(try await upload("a", large + [1]) != nil)
    #expect(try await upload("a", large) == nil)
    #expect(try await upload("a", large) == nil)
    #expect(
      try await upload("a", [1]) == .quotaReached(what: "20000 bytes of attachments of one app"))
    #expect(try await upload("b", [1]) == nil, "small ones count, too")
    #expect(try await upload("c", [1]) == nil)
    #expect(try await upload("d", [1]) == .quotaReached(what: "30000 bytes of attachments"))
    #expect(try await store.shelved() == 2, "nothing of a refused one stays")
    // An upload for no particular app counts for the app that publishes it.
    store.clock.advance(by: .seconds(3600))
    try await store.service.sweep()
    let files = [
      try await store.upload("a", large), try await store.upload("a", large),
    ]
    _ = try await store.publish("one", app: "b", attaching: files)
    let another = try await store.upload("c", [1])
    #expect(
      try await storeError { _ = try await store.publish("two", app: "b", attaching: [another]) }
        == .quotaReached(what: "20000 bytes of attachments of one app"))
    _ = try await store.publish("two", app: "c", attaching: [another])
  }

  @Test(
    "a token with a quota of the files cannot exceed it, until some of them go",
    arguments: BackendKind.allCases)
  func share(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let token = store.token.token.id
    let other = try await store.service.mintToken(
      named: "other", scope: .publish(.any), for: store.user
    ).token.id
    let share = FileOwner.Share(bytesMax: 20_000, name: "attachments of strangers")
    let refusal = StoreError.quotaReached(what: "20000 bytes of attachments of strangers")
    func upload(_ size: Int, _ token: AccessTokenID, _ share: FileOwner.Share?) async throws
      -> StoredFile
    {
      try await store.upload(
        "a", [UInt8](repeating: 1, count: size), app: "a", token: token, share: share)
    }
    // Another token's files count in no quota but its own.
    _ = try await upload(30_000, other, nil)
    let file = try await upload(10_000, token, share)
    let item = try await store.publish("one", app: "b", attaching: [file]).item
    _ = try await upload(1, token, share)
    _ = try await upload(1, token, share)
    #expect(try await storeError { _ = try await upload(1, token, share) } == refusal)
    // An undeclared size is known once the file has arrived.
    var intake = try await store.service.beginFile(
      named: "a", size: nil,
      of: FileOwner(
        user: store.user, token: token, app: "a",
        share: .init(bytesMax: 24_000, name: "attachments of strangers")))
    try await intake.write([UInt8](repeating: 2, count: 10_000))
    #expect(try await storeError { _ = try await intake.finish() } != nil)
    // Only a token with a quota is limited by one.
    _ = try await upload(1, other, nil)
    try await store.service.delete(item.id, for: store.user)
    _ = try await upload(10_000, token, share)
  }

  @Test("concurrent uploads are limited", arguments: BackendKind.allCases)
  func crowd(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let owner = FileOwner(user: store.user, token: store.token.token.id, app: nil)
    func begin() async throws -> FileUpload {
      try await store.service.beginFile(named: nil, size: nil, of: owner)
    }
    var intakes: [FileUpload] = []
    for _ in 0..<8 { intakes.append(try await begin()) }
    #expect(try await storeError { _ = try await begin() } == .busy)
    intakes.removeLast()
    _ = try await begin()
    intakes.removeAll()
    #expect(try await store.shelved() == 0)
    if kind == .sqlite {
      let drafts = try FileManager.default.contentsOfDirectory(
        atPath: store.directory.file("files/incoming"))
      #expect(drafts.isEmpty, "what was not finished is gone")
    }
  }

  @Test("the files of a removed user are removed", arguments: BackendKind.allCases)
  func removal(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.removalRowsMax = 3
    let store = try await StoreUnderTest(kind, limits: limits)
    let other = try await store.service.addUser(named: "grace")
    let kept = try await store.upload("k", [9], user: other.id)
    for number in 0..<5 {
      let file = try await store.upload("a", [UInt8(number)])
      _ = try await store.publish("\(number)", attaching: [file])
    }
    _ = try await store.upload("b", [9])
    try await store.service.removeUser(named: "ada")
    try await store.service.sweep()
    #expect(try await store.shelved() == 1)
    #expect(try await store.bytes(kept) == [9])
    if let backend = store.backend as? SQLiteBackend {
      #expect(try await backend.inspect("SELECT user, bytes FROM file_use") == [["2", "4096"]])
    }
  }

  @Test("a publication that is repeated under its key gets the same answer")
  func idempotency() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let file = try await store.upload("a", [1])
    var content = Content(app: "a", visual: VisualContent(title: "t"))
    content.extras.attachments = [ContentExtras.Attachment(url: file.id.path)]
    let request = PublishRequest(
      content, idempotency: IdempotencyKey(token: store.token.token.id, key: "k", bodyHash: [1]),
      publisher: store.token.token.id)
    let first = try await store.service.publish(request, for: store.user)
    let again = try await store.service.publish(request, for: store.user)
    #expect(again.isRepeat)
    #expect(again.item == first.item)
  }

  @Test("a start removes what a crash left: unfinished uploads, and bytes without a file")
  func crash() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let file = try await store.upload("a", [1])
    _ = try await store.publish("t", attaching: [file])
    let folder = store.directory.file("files")
    let orphan = String(repeating: "ab", count: 32)
    try FileManager.default.createDirectory(
      atPath: folder + "/ab", withIntermediateDirectories: true)
    for path in ["/ab/" + orphan, "/incoming/left"] {
      #expect(FileManager.default.createFile(atPath: folder + path, contents: Data([1])))
    }
    try await store.service.sweep()
    #expect(try await store.shelved() == 2, "only one that serves alone may know")
    let service = try await StoreService.open(
      .starting, on: store.backend, environment: store.environment, isSoleWriter: true,
      shelf: store.shelf)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/incoming").isEmpty)
    try await service.sweep()
    #expect(try await store.shelved() == 1)
    #expect(try await store.bytes(file) == [1])
    let database = store.directory.file("store.sqlite")
    let shelf = try #require(store.shelf as? DirectoryBlobStore)
    #expect(try await SQLiteFile.problems(of: database, shelf: shelf).isEmpty)
    try shelf.remove(file.hash)
    #expect(
      try await SQLiteFile.problems(of: database, shelf: shelf)
        == ["1 attachment whose file is missing"])
    #expect(try await store.bytes(file) == nil)
  }

  @Test("a copy of the store has its files, and restores them")
  func copies() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let file = try await store.upload("a", [1])
    _ = try await store.publish("t", attaching: [file])
    let database = store.directory.file("store.sqlite")
    let shelf = try #require(store.shelf as? DirectoryBlobStore)
    let copy = DirectoryBlobStore(path: store.directory.file("copy.files"))
    #expect(try SQLiteFile.copyFiles(of: database, from: shelf, to: copy) == (1, 0))
    try shelf.remove(file.hash)
    #expect(try await store.bytes(file) == nil)
    #expect(try SQLiteFile.copyFiles(of: database, from: copy, to: shelf) == (1, 0))
    #expect(try await store.bytes(file) == [1])
    for shelf in [copy, shelf] { try shelf.remove(file.hash) }
    #expect(try SQLiteFile.copyFiles(of: database, from: copy, to: shelf) == (0, 1))
  }

  @Test("files and their folders are readable by their owner only")
  func modes() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let file = try await store.upload("a", [1])
    let hash = file.hash.rawValue
    for (path, mode) in [
      ("files", 0o700), ("files/incoming", 0o700), ("files/" + hash.prefix(2), 0o700),
      ("files/\(hash.prefix(2))/\(hash)", 0o600),
    ] {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: store.directory.file(path))
      #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
    }
  }

  @Test("a type is detected from the first bytes")
  func types() async throws {
    let store = try await StoreUnderTest(.memory)
    let samples: [(bytes: [UInt8], type: String)] = [
      ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0], "image/png"),
      ([0xff, 0xd8, 0xff, 0xe0], "image/jpeg"), (Array("GIF89a".utf8), "image/gif"),
      (Array("RIFF1234WEBPVP8 ".utf8), "image/webp"),
      (Array("XXXX1234WEBPVP8 ".utf8), "text/plain"),
      (Array("RIFF1234WAVEfmt ".utf8), "audio/wav"), (Array("%PDF-1.7".utf8), "application/pdf"),
      (Array("<html><script>".utf8), "text/plain"), (Array("größe\n".utf8), "text/plain"),
      (Array((String(repeating: "a", count: 1023) + "é").utf8), "text/plain"),
      ([0xc3], "application/octet-stream"), ([0], "application/octet-stream"),
      (Array("PK\u{3}\u{4}".utf8), "application/zip"),
    ]
    for sample in samples {
      let type = try await store.upload("x.png", sample.bytes).type
      #expect(type == sample.type, "\(sample.bytes.prefix(16))")
    }
  }

  @Test("a name has no path, no control characters and at most 255 bytes")
  func names() async throws {
    let store = try await StoreUnderTest(.memory)
    let long = String(repeating: "ü", count: 200) + ".tar"
    let samples = [
      nil: "attachment.bin", "": "attachment.bin", "..": "attachment.bin", "/": "attachment.bin",
      "a/b/c.txt": "c.txt", "C:\\x\\y.doc": "y.doc", "a\u{0}b\r\nc": "abc",
      " x ": "x", "\u{202e}gnp.exe": "gnp.exe", "é.pdf": "é.pdf",
      long: String(repeating: "ü", count: 125) + ".tar",
      "a" + String(repeating: "\u{301}", count: 300): "attachment.bin",
      // Of a very long name only the end is read.
      String(repeating: "n", count: 1 << 20) + ".tar": String(repeating: "n", count: 251) + ".tar",
      String(repeating: "/", count: 1 << 20) + "x": "x",
      "a" + String(repeating: "\u{301}", count: 1 << 19): "attachment.bin",
    ]
    for (name, cleaned) in samples {
      let got = try await store.upload(name, [1]).name
      #expect(got == cleaned, "\(name ?? "nil")")
      #expect((1...255).contains(got.utf8.count))
    }
  }
}
