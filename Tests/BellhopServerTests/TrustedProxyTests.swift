import BellhopModel
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopServer

@Suite("Reports of proxies about clients")
struct TrustedProxyTests {
  private let proxies = TrustedProxies([
    "10.0.0.0/8", "2001:db8:1::/48", "junk", "::ffff:172.16.0.1",
  ])

  private func client(_ peer: String?, _ forwarded: [String]) -> String? {
    proxies.client(behind: TrustedProxies.Peer(peer), forwarded: forwarded)?.description
  }

  @Test(
    "the client is the last address that is not a trusted proxy",
    arguments: [
      ("203.0.113.7", [], "203.0.113.7"),
      // A client that reaches the store itself cannot claim another address.
      ("203.0.113.7", ["198.51.100.1"], "203.0.113.7"),
      ("127.0.0.1", ["198.51.100.1"], "127.0.0.1"),
      ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
      // The proxy appends the address that it saw to those that the client has written.
      ("10.0.0.1", ["6.6.6.6, 198.51.100.1"], "198.51.100.1"),
      ("10.0.0.1", ["6.6.6.6", "198.51.100.1"], "198.51.100.1"),
      ("10.0.0.1", ["10.9.9.9, 198.51.100.1"], "198.51.100.1"),
      // Several proxies, also in several fields.
      ("10.0.0.1", ["6.6.6.6, 198.51.100.1, 10.0.0.2"], "198.51.100.1"),
      ("10.0.0.1", ["6.6.6.6", "198.51.100.1", "10.0.0.3,10.0.0.2"], "198.51.100.1"),
      ("10.0.0.1", ["10.0.0.2"], "10.0.0.2"), (nil, ["198.51.100.1"], "198.51.100.1"),
      // Addresses of both versions, mapped ones and ones with ports.
      ("::ffff:10.0.0.1", ["::ffff:198.51.100.1"], "198.51.100.1"),
      ("2001:db8:1::5", ["2001:db8:2::1"], "2001:db8:2::1"),
      ("2001:db8:3::5", ["2001:db8:2::1"], "2001:db8:3::5"),
      ("172.16.0.1", ["198.51.100.1:5000"], "198.51.100.1"),
      ("10.0.0.1", ["[2001:db8:2::1]:443"], "2001:db8:2::1"),
      ("10.0.0.1", ["[2001:db8:2::1]"], "2001:db8:2::1"),
      // Text that is not an address ends the search.
      ("10.0.0.1", ["198.51.100.1, unknown"], "10.0.0.1"),
      ("10.0.0.1", ["198.51.100.1, , 10.0.0.2"], "10.0.0.2"),
      ("10.0.0.1", ["198.51.100.1:x"], "10.0.0.1"), ("10.0.0.1", ["[10.0.0.2]"], "10.0.0.1"),
      ("10.0.0.1", ["1.2.3.4:567890"], "10.0.0.1"), ("10.0.0.1", ["[::1"], "10.0.0.1"),
      ("10.0.0.1", ["", ",,"], "10.0.0.1"), ("elsewhere", ["198.51.100.1"], nil), (nil, [], nil),
    ] as [(String?, [String], String?)])
  func clients(peer: String?, forwarded: [String], expected: String?) {
    #expect(client(peer, forwarded) == expected)
  }

  @Test(
    "only a trusted proxy reports TLS, in the last word",
    arguments: [
      ("10.0.0.1", ["https"], true), ("10.0.0.1", ["HTTPS "], true), (nil, ["https"], true),
      ("10.0.0.1", ["http"], false), ("10.0.0.1", [], false), ("10.0.0.1", ["https, http"], false),
      ("10.0.0.1", ["http", "https"], true), ("203.0.113.7", ["https"], false),
      ("elsewhere", ["https"], false), ("10.0.0.1", ["httpsx"], false),
    ] as [(String?, [String], Bool)])
  func schemes(peer: String?, forwarded: [String], isSecure: Bool) {
    #expect(
      proxies.reportsTLS(behind: TrustedProxies.Peer(peer), forwarded: forwarded) == isSecure)
  }

  @Test(
    "a request within a batch cannot claim another scheme than that of the batch",
    arguments: [nil, "https"])
  func batch(scheme: String?) async throws {
    let store = try await InProcessStore()
    var headers = ["Content-Type": "application/json"]
    headers["X-Forwarded-Proto"] = scheme
    let claimed = scheme == nil ? "https" : "http"
    let answer = try await store.send(
      .post, BatchTests.path, token: try await store.deviceToken(),
      text: """
        {"requests":[{"id":"1","method":"POST","url":"/me/notifications",
         "headers":{"Content-Type":"application/json","x-forwarded-proto":"\(claimed)"},
         "body":\(BatchTests.publication("one"))}]}
        """, headers: headers)
    let part = try #require(try BatchAnswerPayload(parsing: answer.body)["1"])
    #expect(part.status == 201)
    #expect(part.headers["Location"]?.hasPrefix((scheme ?? "http") + "://store.test/") == true)
  }
}
