import BellhopModel
import BellhopOutbound
import BellhopStore
import BellhopTestSupport
import Dispatch
import Synchronization
import Testing

@testable import BellhopServer

@Suite("Allowed addresses of hooks")
struct HookAddressTests {
  @Test(
    "addresses are classified by their purpose",
    arguments: [
      ("8.8.8.8", .global), ("1.1.1.1", .global), ("93.184.216.34", .global),
      ("172.15.255.255", .global), ("172.32.0.0", .global), ("100.63.255.255", .global),
      ("100.128.0.0", .global), ("192.167.1.1", .global), ("223.255.255.255", .global),
      ("0.0.0.0", .reserved), ("0.1.2.3", .reserved), ("10.0.0.1", .privateNetwork),
      ("10.255.255.255", .privateNetwork), ("172.16.0.0", .privateNetwork),
      ("172.31.255.255", .privateNetwork), ("192.168.0.1", .privateNetwork),
      ("100.64.0.1", .shared), ("100.127.255.255", .shared), ("127.0.0.1", .loopback),
      ("127.255.255.254", .loopback), ("169.254.1.1", .linkLocal),
      ("169.254.169.254", .metadata), ("169.254.170.2", .metadata),
      ("100.100.100.200", .metadata), ("168.63.129.16", .metadata), ("192.0.0.192", .metadata),
      ("192.0.0.8", .reserved), ("192.0.2.1", .documentation),
      ("198.51.100.7", .documentation), ("203.0.113.9", .documentation),
      ("192.88.99.1", .reserved), ("198.18.0.1", .benchmarking),
      ("198.19.255.255", .benchmarking), ("224.0.0.1", .multicast),
      ("239.255.255.255", .multicast), ("240.0.0.1", .reserved),
      ("255.255.255.255", .reserved),
      ("2606:4700:4700::1111", .global), ("2a00:1450:4001:800::200e", .global),
      ("2001:200::1", .global), ("::", .reserved), ("::1", .loopback), ("::2", .reserved),
      ("::127.0.0.1", .reserved), ("fe80::1", .linkLocal), ("febf::1", .linkLocal),
      ("fec0::1", .privateNetwork), ("fc00::1", .privateNetwork),
      ("fd12:3456::1", .privateNetwork), ("fd00:ec2::254", .metadata),
      ("ff02::1", .multicast), ("2001:db8::1", .documentation), ("3fff::1", .documentation),
      ("2001::1", .reserved), ("2001:2::1", .benchmarking), ("2001:10::1", .reserved),
      ("100::1", .reserved), ("4000::1", .reserved), ("5f00::1", .reserved),
      // An IPv4 address in another notation has the class of that address.
      ("::ffff:10.0.0.1", .privateNetwork), ("::ffff:127.0.0.1", .loopback),
      ("::ffff:169.254.169.254", .metadata), ("::ffff:8.8.8.8", .global),
      ("64:ff9b::7f00:1", .loopback), ("64:ff9b::a9fe:a9fe", .metadata),
      ("64:ff9b::808:808", .global), ("64:ff9b:1::808:808", .reserved),
      ("2002:7f00:1::1", .loopback), ("2002:c0a8:101::", .privateNetwork),
      ("2002:808:808::1", .global),
    ] as [(String, AddressKind)])
  func kinds(text: String, kind: AddressKind) throws {
    #expect(AddressKind(try #require(IPAddress(text))) == kind)
  }

  @Test(
    "addresses and networks are parsed in their standard forms only",
    arguments: [
      "1.2.3", "1.2.3.4.5", "01.2.3.4x", "0x7f.0.0.1", "2130706433", "256.1.1.1", "", "::g",
      "fe80::1%eth0", "1.2.3.4/33", "::/129", "1.2.3.4/", "1.2.3.4/8/8", "/8",
      "1.2.3.4/+8", "::ffff:10.0.0.0/8", "::ffff:10.0.0.0/129",
    ])
  func unreadable(text: String) {
    #expect(IPNetwork(text) == nil)
  }

  @Test("a network contains the addresses that share its prefix")
  func networks() throws {
    func holds(_ network: String, _ address: String) throws -> Bool {
      try #require(IPNetwork(network)).contains(try #require(IPAddress(address)))
    }
    #expect(try holds("10.1.2.0/23", "10.1.3.255"))
    #expect(try !holds("10.1.2.0/23", "10.1.4.0"))
    #expect(try holds("0.0.0.0/0", "255.1.2.3"))
    #expect(try !holds("0.0.0.0/0", "::1"))
    #expect(try holds("fd00::/8", "fdff::1"))
    #expect(try !holds("fd00::/8", "fc00::1"))
    #expect(try holds("192.0.2.1", "::ffff:192.0.2.1"))
    #expect(try holds("::ffff:10.0.0.0/104", "10.1.2.3"))
    #expect(try !holds("::ffff:10.0.0.0/104", "11.1.2.3"))
    #expect(IPNetwork("fd00:0::/8")?.description == "fd00::/8")
  }

  @Test("special addresses are called if their network is allowed, a metadata address only by name")
  func permission() throws {
    let networks = ["127.0.0.0/8", "169.254.0.0/16", "fd00:ec2::254"].compactMap { IPNetwork($0) }
    func isPermitted(_ text: String) throws -> Bool {
      AddressKind.permits(try #require(IPAddress(text)), allowing: networks)
    }
    #expect(try isPermitted("8.8.8.8"))
    #expect(try isPermitted("127.0.0.1"))
    #expect(try isPermitted("169.254.1.1"))
    #expect(try !isPermitted("169.254.169.254"))
    #expect(try isPermitted("fd00:ec2::254"))
    #expect(try !isPermitted("10.0.0.1"))
    #expect(try !isPermitted("2002:7f00:1::1"))
  }

  @Test(
    "a hook's URL is parsed as every reader would",
    arguments: [
      ("https://hook.example", "hook.example", 443, "/", "hook.example"),
      ("HTTPS://Hook.Example:8443/a/b?c=d", "hook.example", 8443, "/a/b?c=d", "hook.example:8443"),
      ("https://[2001:DB8::1]:1/x", "2001:db8::1", 1, "/x", "[2001:db8::1]:1"),
      ("https://hook.example?x=1", "hook.example", 443, "/?x=1", "hook.example"),
      ("https://192.0.2.1:443/", "192.0.2.1", 443, "/", "192.0.2.1"),
      ("https://xn--mller-kva.example/%20", "xn--mller-kva.example", 443, "/%20", nil),
    ] as [(String, String, Int, String, String?)])
  func urls(text: String, host: String, port: Int, target: String, authority: String?) throws {
    let url = try OutboundURL(text)
    #expect(url.isSecure)
    #expect((url.host, url.port, url.target) == (host, port, target))
    if let authority { #expect(url.authority == authority) }
  }

  @Test(
    "ambiguous URLs are refused",
    arguments: [
      "", "hook.example", "//hook.example", "https:hook.example", "https:/hook.example",
      "ftp://hook.example", "http://hook.example", "file:///etc/passwd", "https://",
      "https://@hook.example", "https://a:b@hook.example", "https://hook.example@127.0.0.1/",
      "https://hook.example\\@127.0.0.1/", "https://hook.example#@127.0.0.1/",
      "https://hook.example/#x", "https://hook example/", "https://hook.example/a b",
      "https://hook.example/\r\nX: y", "https://müller.example/", "https://hook.example:0/",
      "https://hook.example:65536/", "https://hook.example:80a/", "https://hook.example:+1/",
      "https://hook.example:/", "https://[::1/", "https://::1/", "https://[1.2.3.4]/",
      "https://[fe80::1%25eth0]/", "https://hook%2eexample/", "https://hook.example/<x>",
      "gopher://127.0.0.1:25/",
    ])
  func refusedURLs(text: String) {
    #expect(throws: OutboundURL.FormatError.self) { try OutboundURL(text) }
  }

  @Test("plain HTTP and other ports depend on the configuration")
  func configuredURLs() throws {
    let rules = OutboundURL.Rules(allowsPlain: true, ports: [80, 8443])
    let url = try OutboundURL("http://hook.example/", rules)
    #expect(!url.isSecure && url.port == 80 && url.authority == "hook.example")
    #expect(throws: OutboundURL.FormatError.self) {
      try OutboundURL("https://hook.example/", rules)
    }
    #expect(try OutboundURL("https://hook.example:8443/", rules).port == 8443)
  }

  @Test("the token of the handshake is added to the existing query")
  func handshakeTarget() throws {
    let rules = OutboundURL.Rules()
    let plain = OutboundRequest(
      handshakeWith: try OutboundURL("https://h.example/a", rules), token: "a b:c&d")
    #expect(plain.target == "/a?validationToken=a%20b%3Ac%26d")
    let query = OutboundRequest(
      handshakeWith: try OutboundURL("https://h.example/a?x=1", rules), token: "t")
    #expect(query.target == "/a?x=1&validationToken=t")
  }

  @Test(
    "a pause is parsed as seconds or as a date",
    arguments: [
      ("120", 120), (" 0 ", 0), ("-1", nil), ("soon", nil), ("99999999999", 10_000_000),
      ("Sat, 21 Nov 2026 06:42:04 GMT", 600), ("Sat, 21 Nov 2026 06:12:04 GMT", 0),
    ] as [(String, Int64?)])
  func retryAfter(text: String, seconds: Int64?) throws {
    let now = try #require(Timestamp("2026-11-21T06:32:04Z"))
    #expect(RetryAfter.duration(text, now: now) == seconds.map { .seconds($0) })
  }

  @Test("names of this machine are found, unknown ones have no address")
  func lookUp() async throws {
    let names = NameLookup()
    let here = try await names.addresses(of: "localhost", for: 1)
    #expect(!here.isEmpty && here.allSatisfy { AddressKind($0) == .loopback })
    #expect(try await names.addresses(of: "no-such-host.invalid", for: 1).isEmpty)
    // Numbers that old resolvers accept as addresses are classified as those.
    let disguised = try await names.addresses(of: "0x7f.1", for: 1)
    #expect(disguised.allSatisfy { AddressKind($0) == .loopback })
  }

  @Test("a user's slow name delays no other user, and a cancelled lookup never starts (SECURITY-6)")
  func slowNames() async throws {
    let address = try #require(IPAddress("192.0.2.1"))
    let gate = DispatchSemaphore(value: 0)
    let begun = Mutex<[String]>([])
    let names = NameLookup { host in
      begun.withLock { $0.append(host) }
      if host.hasPrefix("slow") { gate.wait() }
      return [address]
    }
    let first = Task { try await names.addresses(of: "slow.example", for: 1) }
    try await eventually("the slow look-up") { begun.withLock { $0 } == ["slow.example"] }
    let others = (1...40).map { number in
      Task { try await names.addresses(of: "slow\(number).example", for: 1) }
    }
    let answers = Mutex(0)
    func askForAnother() async throws {
      let asked = answers.withLock { $0 }
      let task = Task { @Sendable in
        let found = try await names.addresses(of: "good.example", for: 2)
        if found == [address] { answers.withLock { $0 += 1 } }
      }
      defer { task.cancel() }
      try await eventually("the other user's addresses", last: "\(begun.withLock { $0 })") {
        answers.withLock { $0 } > asked
      }
    }
    try await askForAnother()
    // The caller cancels; the system's call goes on, and still counts as its owner's.
    for task in [first] + others {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    let next = Task { try await names.addresses(of: "next.example", for: 1) }
    try await askForAnother()
    #expect(begun.withLock { $0 } == ["slow.example", "good.example", "good.example"])
    gate.signal()
    #expect(try await next.value == [address])
    #expect(begun.withLock { $0.last } == "next.example")
    #expect(begun.withLock { $0.count } == 4)
  }

  @Test("the store looks up a hook's host on behalf of its user")
  func owners() async throws {
    let owners = Mutex<[Int64]>([])
    let desk = try await HookDesk(
      users: ["me", "you"],
      adjust: { environment in
        environment.resolve = { _, owner in
          owners.withLock { $0.append(owner) }
          return [IPAddress("127.0.0.1")!]
        }
      })
    for (place, name) in ["me", "you"].enumerated() {
      let user = try await desk.store.service.user(named: name).id
      let token = try await desk.store.deviceToken(of: name)
      #expect(try await desk.subscribe(desk.body(), token: token).status == 201)
      #expect(owners.withLock { $0 }.dropFirst(place) == [user.rawValue])
    }
  }
}
