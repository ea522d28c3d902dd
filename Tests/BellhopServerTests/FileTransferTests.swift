import BellhopModel
import BellhopSync
import NIOHTTP1
import Synchronization
import Testing

/// A download of the store's files by the client, from a server that may answer anything.
@Suite("Downloads by a client")
struct FileTransferTests {
  private final class Parts: Sendable {
    let all = Mutex<[FilePart]>([])

    func take(_ part: FilePart) { all.withLock { $0.append(part) } }

    var bytes: [UInt8] {
      all.withLock { $0 }.flatMap { if case .bytes(let bytes) = $0 { bytes } else { [UInt8]() } }
    }
  }

  private func read(
    _ id: String, bytesMax: Int = 1000, _ script: @escaping HookStub.Script
  ) async throws -> (parts: Parts, error: (any Error)?, uri: String, token: String?) {
    let stub = try await HookStub.start()
    stub.reply(script)
    let transport = try HTTPTransport(
      .init(
        url: "http://127.0.0.1:\(stub.port)", device: DeviceID("laptop"), deviceName: "Laptop"),
      localTime: { Timestamp(seconds: 1_795_238_060) }, token: { "secret" })
    let parts = Parts()
    var problem: (any Error)?
    do {
      try await transport.readFile(id: id, bytesMax: bytesMax) { parts.take($0) }
    } catch {
      problem = error
    }
    await transport.shutdown()
    await stub.stop()
    let asked = stub.told.first
    return (parts, problem, asked?.uri ?? "", asked?.headers.first(name: "Authorization"))
  }

  @Test("the bytes come with their count, for the account's token, from the path of files only")
  func whole() async throws {
    let got = try await read("AbC-_1") { _ in
      .status(200, headers: [("Content-Length", "5")], body: "12345")
    }
    #expect(got.error == nil && got.parts.bytes == Array("12345".utf8))
    #expect(got.parts.all.withLock { $0.first } == .length(5))
    #expect(got.uri == "/file/AbC-_1" && got.token == "Bearer secret")
  }

  @Test("an id never leads to another path", arguments: ["../me", "a/b", "a?b", "a#b", "%2e%2e"])
  func hostileIDs(id: String) async throws {
    let got = try await read(id) { _ in .status(200, body: "x") }
    let name = got.uri.dropFirst("/file/".count)
    #expect(got.uri.hasPrefix("/file/") && !name.contains { "/?#".contains($0) })
  }

  @Test("a file larger than allowed is refused, whether its size was declared or not")
  func limits() async throws {
    let said = try await read("a", bytesMax: 4) { _ in
      .status(200, headers: [("Content-Length", "5")], body: "12345")
    }
    #expect(said.error as? TransportError == .badAnswer("it is too large"))
    #expect(said.parts.all.withLock { $0.isEmpty })
    let unsaid = try await read("a") { _ in .bodyFlood }
    #expect(unsaid.error as? TransportError == .badAnswer("it is too large"))
    #expect(unsaid.parts.bytes.count <= 1000)
  }

  @Test("a redirect is not followed; a missing or incomplete file is an error")
  func refusals() async throws {
    let moved = try await read("a") { _ in
      .status(302, headers: [("Location", "https://evil.example/")])
    }
    guard case .badAnswer = moved.error as? TransportError else {
      Issue.record("followed: \(String(describing: moved.error))")
      return
    }
    let gone = try await read("a") { _ in .status(404, body: "{}") }
    guard case .server(404, _) = gone.error as? TransportError else {
      Issue.record("\(String(describing: gone.error))")
      return
    }
    let broken = try await read("a") { _ in .hangUp }
    #expect(broken.error != nil && broken.parts.bytes.isEmpty)
  }

  @Test("an error of the receiver ends the transfer with it")
  func taker() async throws {
    struct Full: Error {}
    let stub = try await HookStub.start()
    stub.reply { _ in .status(200, body: "12345") }
    let transport = try HTTPTransport(
      .init(
        url: "http://127.0.0.1:\(stub.port)", device: DeviceID("laptop"), deviceName: "Laptop"),
      localTime: { Timestamp(seconds: 1_795_238_060) }, token: { "secret" })
    await #expect(throws: Full.self) {
      try await transport.readFile(id: "a", bytesMax: 10) { part in
        if case .bytes = part { throw Full() }
      }
    }
    await transport.shutdown()
    await stub.stop()
  }
}
