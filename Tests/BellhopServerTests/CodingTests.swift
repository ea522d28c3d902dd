import BellhopModel
import BellhopTestSupport
import BellhopWire
import CZlib
import Foundation
import HTTPTypes
import Testing

@Suite("Compressed bodies")
struct CodingTests {
  /// The gzip form of `{"targetHostName":"ci","payload":{"visualContent":{"title":"packed"}}}`.
  static let gzip =
    "H4sIAAAAAAACA6tWKkksSk8t8cgvLvFLzE1VslJKzlTSUSpIrMzJT0xRsqpWKsssLk3Mcc7PK0nNKwEJlGSW5IAUFiQmZ6"
    + "emKNXW1gIAWLSE90YAAAA="
  /// The same in two members.
  static let twoMembers =
    "H4sIAAAAAAACA6tWKkksSk8t8cgvLvFLzE1VslJKBgBK0s6EFAAAAB+LCAAAAAAAAgPLVNJRKkiszMlPTFGyqlYqyywuTcxx"
    + "zs8rSc0rAQmUZJbkpCpZAdUkZ6emKNXW1gIATPFUiDIAAAA="
  static let zlib =
    "eJyrVipJLEpPLfHILy7xS8xNVbJSSs5U0lEqSKzMyU9MUbKqVirLLC5NzHHOzytJzSsBCZRkluSAFBYkJmenpijV1tYCAG9/"
    + "GOo="
  static let raw =
    "q1YqSSxKTy3xyC8u8UvMTVWyUkrOVNJRKkiszMlPTFGyqlYqyywuTcxxzs8rSc0rAQmUZJbkgBQWJCZnp6Yo1dbWAgA="
  static let cutOff =
    "H4sIAAAAAAACA6tWKkksSk8t8cgvLvFLzE1VslJKzlTSUSpIrMzJT0xRsqpWKsssLk3Mcc7PK0nNKwEJlGSW5IAUFiQmZ6"
    + "emKNU="
  /// The same with a wrong checksum.
  static let changed =
    "H4sIAAAAAAACA6tWKkksSk8t8cgvLvFLzE1VslJKzlTSUSpIrMzJT0xRsqpWKsssLk3Mcc7PK0nNKwEJlGSW5IAUFiQmZ6"
    + "emKNXW1gIAWLSF90YAAAA="

  private func bytes(_ base64: String) throws -> [UInt8] {
    Array(try #require(Data(base64Encoded: base64)))
  }

  @Test(
    "gzip and deflate are decompressed in every variant",
    arguments: [
      (gzip, "gzip"), (gzip, "X-GZIP"), (gzip, "identity, gzip"), (twoMembers, "gzip"),
      (zlib, "deflate"), (raw, "Deflate"),
    ])
  func unpacked(body: String, coding: String) async throws {
    let store = try await InProcessStore()
    let answer = try await store.send(
      .post, Route.notifications.path, token: store.deviceToken(), body: bytes(body),
      headers: ["Content-Encoding": coding])
    #expect(answer.status == 201, "\(answer.text)")
    let item = try answer.decoded(NotificationPayload.self).item
    #expect(item.content.visual?.title == "packed")
  }

  @Test(
    "a body that is cut off, changed or not compressed is refused",
    arguments: [
      (cutOff, "gzip"), (changed, "gzip"), (gzip, "deflate"), (zlib, "gzip"),
      (gzip + "", "deflate"), ("e30=", "gzip"), ("e30=", "deflate"),
    ])
  func damaged(body: String, coding: String) async throws {
    let store = try await InProcessStore()
    let answer = try await store.send(
      .post, Route.notifications.path, token: store.deviceToken(), body: bytes(body),
      headers: ["Content-Encoding": coding])
    #expect(answer.status == 400)
    #expect(answer.text.contains("Content-Encoding"))
  }

  @Test("extra bytes after a compressed body are refused")
  func rubbish() async throws {
    let store = try await InProcessStore()
    for (body, coding) in [(Self.gzip, "gzip"), (Self.zlib, "deflate")] {
      let answer = try await store.send(
        .post, Route.notifications.path, token: store.deviceToken(),
        body: bytes(body) + Array("rubbish".utf8), headers: ["Content-Encoding": coding])
      #expect(answer.status == 400)
    }
  }

  @Test("other codings, and several, are refused with the accepted ones")
  func unsupported() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    for coding in ["br", "compress", "zstd", "gzip, gzip", "gzip, br", "*"] {
      let answer = try await store.send(
        .post, Route.notifications.path, token: token, body: bytes(Self.gzip),
        headers: ["Content-Encoding": coding])
      #expect(answer.status == 415)
      #expect(answer.header("Accept-Encoding") == "gzip, deflate")
      #expect(try answer.decoded(ErrorPayload.self).code == .unsupportedMediaType)
    }
  }

  @Test("a decompression bomb ends at the limit, also at the bulk endpoint with its larger one")
  func bomb() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let plain = [UInt8](repeating: 0x20, count: 32 * 1024 * 1024)
    var packed = [UInt8](repeating: 0, count: 64 * 1024)
    var count = UInt(packed.count)
    #expect(compress2(&packed, &count, plain, UInt(plain.count), 9) == Z_OK)
    for path in [Route.notifications.path, BulkTests.path] {
      let answer = try await store.send(
        .post, path, token: token, body: Array(packed.prefix(Int(count))),
        headers: ["Content-Encoding": "deflate"])
      #expect(answer.status == 413)
    }
  }

  @Test(
    "a body with a changed bit is refused, or the bit had no meaning",
    arguments: [1, 2, 3] as [UInt64])
  func random(seed: UInt64) async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    var random = SeededRandom(seed: seed)
    for _ in 0..<200 {
      var body = try bytes(Self.gzip)
      let place = Int(random.next() % UInt64(body.count))
      // The flags, time and system of the header do not affect the content.
      guard place < 3 || place > 9 else { continue }
      body[place] ^= UInt8(1 << (random.next() % 8))
      let answer = try await store.send(
        .post, Route.notifications.path, token: token, body: body,
        headers: ["Content-Encoding": "gzip"])
      guard answer.status != 400 else { continue }
      // Bits after the end of the last block do not affect it either.
      let item = try answer.decoded(NotificationPayload.self).item
      #expect(item.content.visual?.title == "packed", "seed \(seed), byte \(place)")
    }
  }
}
