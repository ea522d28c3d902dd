import AsyncHTTPClient
import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import Testing

@testable import BellhopServer

@Suite("Administration through the admin socket", .timeLimit(.minutes(10)))
struct AdministrationTests {
  /// Runs a server with an admin socket in its own folder, and a public one.
  private func withServer(
    _ store: InProcessStore,
    _ body: @escaping @Sendable (_ folder: String, _ base: String) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try await withRunningServer(
      store.server,
      on: [
        .tcp(host: "127.0.0.1", port: 0),
        .administration(path: AdminSocket.path(in: folder.path)),
      ]
    ) { addresses, _ in
      #expect(addresses.count == 1, "the admin socket is not announced")
      try await body(folder.path, try #require(addresses.first).description)
    }
  }

  private func administrator(_ folder: String) throws -> Administrator {
    .serving(try #require(try AdminSocket(directory: folder)))
  }

  @Test("a revocation applies at once: an open stream of signals reports it and ends")
  func revocation() async throws {
    let store = try await InProcessStore()
    try await withServer(store) { folder, base in
      let minted = try await administrator(folder).send(
        .mint(NewTokenPayload(user: "me", scope: "device", name: "laptop", expires: nil)))
      var request = HTTPClientRequest(url: base + Route.signal.path)
      request.headers.add(name: "Authorization", value: "Bearer " + minted.token)
      let stream = try await HTTPClient.shared.execute(request, deadline: .distantFuture)
      #expect(stream.status == .ok)
      var text = ""
      for try await chunk in stream.body {
        text += String(buffer: chunk)
        if text.hasSuffix("\n\n") {
          _ = try await administrator(folder).send(.revokeToken(minted.id.description))
        }
      }
      #expect(text.ranges(of: "event: changed").count == 1)
      #expect(text.ranges(of: "event: revoked").count == 1)
      #expect(text.hasSuffix("\n\n"))
      #expect(!text.contains(": \n"), "no heart-beat was needed")
      let answer = try await store.send(.get, Route.devices.path, token: minted.token)
      #expect(answer.status == 401)
    }
  }

  @Test("users, tokens and devices are created, listed and removed")
  func everything() async throws {
    let store = try await InProcessStore()
    try await withServer(store) { folder, _ in
      let administrator = try administrator(folder)
      _ = try await administrator.send(.addUser("eve"))
      #expect(try await administrator.send(.users).map(\.name) == ["me", "eve"])
      let minted = try await administrator.send(
        .mint(NewTokenPayload(user: "eve", scope: "publish:ci.*", name: "ci", expires: nil)))
      let listed = try await administrator.send(.tokens(of: "eve"))
      #expect(listed.map(\.scope) == ["publish:ci.*"])
      #expect(listed.map(\.id) == [minted.id])
      _ = try await store.deviceToken(DeviceID("a:b~c"), of: "eve").count
      let devices = try await administrator.send(.devices(of: "eve"))
      #expect(devices.map(\.id) == [DeviceID("a:b~c")])
      _ = try await administrator.send(.revokeDevice(DeviceID("a:b~c"), of: "eve"))
      #expect(try await administrator.send(.devices(of: "eve")).isEmpty)
      #expect(try await administrator.send(.tokens(of: nil)).count == 2)
      #expect(try await administrator.send(.expire(confirmsClock: false)).expired == 0)
      #expect(try await administrator.send(.removeUser("eve")).count >= 2)
      #expect(try await administrator.send(.users).map(\.name) == ["me"])
    }
  }

  @Test("a user is unlinked from an identity provider's account, served or not")
  func unlinked() async throws {
    let issuer = "https://id.test/realms/a team?"
    let store = try await InProcessStore()
    @Sendable func signIn(_ subject: String) async throws -> Principal {
      try await store.service.authenticate(
        ExternalSignIn(
          issuer: issuer, subject: subject, userName: "me", client: "bellhop", session: nil,
          device: DeviceID(subject), right: .device, issued: store.time.now, authenticated: nil,
          addsUser: false))
    }
    try await withServer(store) { folder, _ in
      let administrators = [try administrator(folder), .direct(store.server)]
      for (number, administrator) in administrators.enumerated() {
        let (before, after) = ("person-\(number)", "person-\(number + 1)")
        let first = try await signIn(before)
        await #expect(throws: StoreError.self) { try await signIn(after) }
        _ = try await administrator.send(.forgetSubject(of: "me", at: issuer))
        let tokens = try await store.service.accessTokens(of: first.user.id)
        #expect(tokens.first { $0.id == first.token.id }?.revoked != nil)
        #expect(try await signIn(after).user.id == first.user.id)
        await #expect(throws: StoreError.self) { try await signIn(before) }
        let unknown = await #expect(throws: AdminError.self) {
          try await administrator.send(.forgetSubject(of: "me", at: "https://other.test"))
        }
        #expect(unknown?.reason == .notFound)
      }
    }
  }

  @Test("administrators learn why the storage failed, and clients do not")
  func storageFailure() {
    let error = StoreError.unavailable(reason: "the role lacks a right")
    #expect(
      RequestError(error, for: .administration).message
        == "The store cannot be used: the role lacks a right; nothing was changed.")
    let forClients = RequestError(error, for: .everybody)
    #expect(!forClients.message.contains("right"))
    #expect(forClients.logDetail == "the role lacks a right")
  }

  @Test("errors keep their kind and their text, served or not")
  func refusals() async throws {
    let store = try await InProcessStore()
    try await withServer(store) { folder, _ in
      for administrator in [try administrator(folder), .direct(store.server)] {
        let unknown = await #expect(throws: AdminError.self) {
          try await administrator.send(.removeUser("absent"))
        }
        #expect(unknown?.reason == .notFound)
        #expect(unknown?.description == "There is no such user.")
        let taken = await #expect(throws: AdminError.self) {
          try await administrator.send(.addUser("me"))
        }
        #expect(taken?.reason == .badData)
        let wrong = await #expect(throws: AdminError.self) {
          try await administrator.send(
            .mint(NewTokenPayload(user: "me", scope: "root", name: "n", expires: nil)))
        }
        #expect(wrong?.description.contains("scope") == true)
        let ambiguous = await #expect(throws: AdminError.self) {
          _ = try await store.publishToken()
          _ = try await store.publishToken()
          _ = try await administrator.send(.revokeToken("0"))
        }
        #expect(ambiguous?.description.contains("tokens match") == true)
      }
    }
  }

  @Test("no administration is served on the public socket, with any token")
  func notForEverybody() async throws {
    let store = try await InProcessStore()
    let tokens = [nil, try await store.deviceToken(DeviceID("d")), try await store.publishToken()]
    #expect(AdminEndpoints.endpoints.count >= 10)
    for endpoint in AdminEndpoints.endpoints {
      let path =
        "/"
        + endpoint.pattern.replacing(":user", with: "me").replacing(":device", with: "d")
        .replacing(":prefix", with: "0")
      for token in tokens {
        let answer = try await store.send(endpoint.method, path, token: token, text: "{}")
        // Its first word is not a topic either: such a request publishes nothing.
        #expect([400, 401, 404, 405].contains(answer.status), "\(endpoint.method) \(path)")
      }
    }
    #expect(try await store.service.users().map(\.name) == ["me"])
    #expect(
      store.server.table.keys.allSatisfy { !$0.contains("admin") }, "no public route leads there")
  }

  @Test("the socket is for its owner only, and one that others could have created is refused")
  func socketFile() async throws {
    let store = try await InProcessStore()
    try await withServer(store) { folder, _ in
      let path = AdminSocket.path(in: folder)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      chmod(path, 0o666)
      let refusal = #expect(throws: AdminError.self) { try AdminSocket(directory: folder) }
      #expect(refusal?.reason == .notAllowed)
      chmod(path, 0o600)
    }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    #expect(try AdminSocket(directory: folder.path) == nil)
  }

  @Test("a data directory with a long path has its socket too")
  func longPath() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let deep = folder.path + "/" + String(repeating: "d", count: 120)
    try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
    let store = try await InProcessStore()
    try await withRunningServer(
      store.server,
      on: [.tcp(host: "127.0.0.1", port: 0), .administration(path: AdminSocket.path(in: deep))]
    ) { _, _ in
      let socket = try #require(try AdminSocket(directory: deep))
      #expect(try await Administrator.serving(socket).send(.users).map(\.name) == ["me"])
    }
  }

  @Test(
    "an answer that ends early is an error",
    arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", "HTTP/1.1 200", "\r\n\r\n"])
  func broken(answer: String) {
    #expect(throws: AdminError.self) { try AdminSocket.parse(Array(answer.utf8)) }
  }
}
