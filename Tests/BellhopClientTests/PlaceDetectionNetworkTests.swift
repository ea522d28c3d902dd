import BellhopTestSupport
import Glibc
import Synchronization
import Testing

@testable import BellhopClient

@Suite("Networks that the device is on")
struct PlaceDetectionNetworkTests {
  private static let router: [UInt8] = [2, 0, 0, 0, 0, 1]
  private static let other: [UInt8] = [2, 0, 0, 0, 0, 2]

  /// A default route over a device; IPv4 unless the gateway has more bytes.
  private static func route(
    _ gateway: [UInt8]?, on device: Int32, metric: UInt32 = 100, prefixBits: Int32 = 0
  ) -> NetworkTables.Route {
    NetworkTables.Route(
      family: gateway?.count == 16 ? AF_INET6 : AF_INET, device: device, prefixBits: prefixBits,
      metric: metric, gateway: gateway)
  }

  private static func address(_ bytes: [UInt8], on device: Int32) -> NetworkTables.Address {
    NetworkTables.Address(
      family: bytes.count == 16 ? AF_INET6 : AF_INET, device: device, bytes: bytes)
  }

  /// Tables with Ethernet devices 2 and 3, a tunnel 9, and these routes.
  private static func tables(
    _ routes: NetworkTables.Route..., neighbors: [NetworkTables.Address: [UInt8]] = [:]
  ) -> NetworkTables {
    NetworkTables(ethernetDevices: [2, 3], routes: Set(routes), neighbors: neighbors)
  }

  @Test("of several default routes, those with the lowest metric count, for each family")
  func lowestMetric() {
    let (cable, wifi) = ([UInt8]([192, 0, 2, 1]), [UInt8]([198, 51, 100, 1]))
    let linkLocal = [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
    let tables = Self.tables(
      Self.route(cable, on: 2), Self.route(wifi, on: 3, metric: 600),
      Self.route(linkLocal, on: 3, metric: 1024),
      neighbors: [
        Self.address(cable, on: 2): Self.router, Self.address(wifi, on: 3): Self.other,
      ])
    #expect(
      tables.gateways == [
        .init(address: Self.address(cable, on: 2), hardwareAddress: Self.router),
        .init(address: Self.address(linkLocal, on: 3), hardwareAddress: nil),
      ])
  }

  @Test("a VPN does not change the network, whatever its metric")
  func tunnels() {
    let gateway = [UInt8]([192, 0, 2, 1])
    let beside = Self.tables(
      Self.route(nil, on: 9, metric: 50), Self.route(gateway, on: 2, metric: 600))
    #expect(beside.gateways.map(\.address) == [Self.address(gateway, on: 2)])
    // A VPN that replaced the default route keeps a route to its own server.
    let instead = Self.tables(
      Self.route(nil, on: 9), Self.route(gateway, on: 2, prefixBits: 32))
    #expect(instead.gateways.map(\.address) == [Self.address(gateway, on: 2)])
    let only = Self.tables(Self.route(nil, on: 9))
    #expect(only.gateways.isEmpty && only.hasDefaultRoute)
  }

  @Test("a single route without a default route is not a network")
  func noDefault() {
    let tables = Self.tables(Self.route([192, 0, 2, 1], on: 2, prefixBits: 32))
    #expect(tables.gateways.isEmpty && !tables.hasDefaultRoute)
  }

  @Test("a virtual router's hardware address counts only with the gateway's own address")
  func virtualRouters() throws {
    func fingerprint(_ hardwareAddress: [UInt8], _ gateway: [UInt8]) throws -> NetworkFingerprint {
      try #require(
        NetworkFingerprint(
          .init(address: Self.address(gateway, on: 2), hardwareAddress: hardwareAddress)))
    }
    let shared: [UInt8] = [0, 0, 0x5e, 0, 1, 7]
    #expect(try fingerprint(shared, [10, 0, 0, 1]) != fingerprint(shared, [10, 1, 0, 1]))
    let own = Self.router
    #expect(try fingerprint(own, [10, 0, 0, 1]) == fingerprint(own, [10, 1, 0, 1]))
  }

  @Test("a fingerprint does not print its value")
  func redacted() {
    #expect("\(NetworkFingerprint(wifiName: Array("Home".utf8)))" == "wifi <redacted>")
  }

  // MARK: - Surveys

  /// Takes a survey of tables that change with each reading; the last ones stay.
  private static func survey(
    _ readings: [NetworkTables], wifi: WiFiName = .absent
  ) -> (survey: NetworkSurvey, asked: [NetworkTables.Address], milliseconds: UInt32) {
    let rest = Mutex(readings)
    let asked = Mutex<[NetworkTables.Address]>([])
    let paused = Mutex<UInt32>(0)
    let survey = NetworkSurvey.take(
      from: .init(
        tables: { () throws(ClientError) in
          rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? NetworkTables() }
        },
        resolve: { address in asked.withLock { $0.append(address) } },
        pause: { milliseconds in paused.withLock { $0 += milliseconds } }, wifi: { wifi }))
    return (survey, asked.withLock { $0 }, paused.withLock { $0 })
  }

  @Test("a missing hardware address is asked for, and read again within a second")
  func resolving() {
    let gateway = Self.address([192, 0, 2, 1], on: 2)
    let before = Self.tables(Self.route([192, 0, 2, 1], on: 2))
    let after = Self.tables(
      Self.route([192, 0, 2, 1], on: 2), neighbors: [gateway: Self.router])
    let found = Self.survey([before, before, after])
    #expect(found.survey.fingerprints.map(\.kind) == [.gateway] && found.survey.isComplete)
    #expect(found.asked == [gateway] && found.milliseconds == 100)
    let silent = Self.survey([before])
    #expect(silent.survey == NetworkSurvey() && silent.milliseconds == 1000)
    #expect(Self.survey([after]).asked == [])
  }

  @Test("a survey knows whether it can tell the network from others")
  func completeness() {
    let name = Array("Home".utf8)
    let gateway = Self.address([192, 0, 2, 1], on: 2)
    let tables = Self.tables(
      Self.route([192, 0, 2, 1], on: 2), neighbors: [gateway: Self.router])
    #expect(Self.survey([NetworkTables()], wifi: .known(name)).survey == NetworkSurvey())
    #expect(Self.survey([Self.tables(Self.route(nil, on: 9))]).survey.isComplete)
    #expect(Self.survey([tables], wifi: .known(name)).survey.fingerprints.count == 2)
    var halfSilent = tables
    halfSilent.routes.insert(Self.route([192, 0, 2, 9], on: 2))
    #expect(Self.survey([halfSilent]).survey == Self.survey([tables]).survey)
    let unknown = Self.survey([tables], wifi: .unknown).survey
    #expect(unknown.fingerprints.count == 1 && !unknown.isComplete)
  }

  @Test("the explanations for the user say why a gateway is not recognised")
  func explanations() {
    func source(_ tables: NetworkTables) -> PlaceCapabilities.Source {
      PlaceCapabilities.gateway(
        .init(
          tables: { () throws(ClientError) in tables }, resolve: { _ in }, pause: { _ in },
          wifi: { .absent }))
    }
    let gateway = [UInt8]([192, 0, 2, 1])
    let known = Self.tables(
      Self.route(gateway, on: 2), neighbors: [Self.address(gateway, on: 2): Self.router])
    #expect(source(known).works)
    #expect(source(NetworkTables()).explanation == "This device is not on a network now.")
    #expect(!source(Self.tables(Self.route(nil, on: 9))).works)
    #expect(source(Self.tables(Self.route(gateway, on: 2))).explanation.contains("answer"))
  }
}

@Suite(
  "Networks of the kernel",
  .enabled("This machine lets the tests make no network namespace, or has no ip or python3.") {
    NetworkNamespace.isAllowed()
  }, .realPrograms)
struct PlaceDetectionKernelTests {
  private static func fingerprints(_ tables: NetworkTables) -> Set<NetworkFingerprint> {
    Set(tables.gateways.compactMap { NetworkFingerprint($0) })
  }

  @Test("gateways of both families are read with their hardware addresses")
  func reading() throws {
    let space = try NetworkNamespace()
    defer { space.end() }
    let socket = try space.socket(hearsChanges: false)
    #expect(!(try socket.readTables()).hasDefaultRoute)
    try space.join("192.0.2.1", "02:00:00:00:00:01")
    var tables = try socket.readTables()
    #expect(tables.gateways.map(\.hardwareAddress) == [[2, 0, 0, 0, 0, 1]])
    #expect(tables.gateways.map(\.address.bytes) == [[192, 0, 2, 1]])
    let home = Self.fingerprints(tables)

    try space.ip("-6 addr add 2001:db8::2/64 dev here nodad")
    try space.ip("-6 route replace default via fe80::1 dev here metric 5")
    try space.ip("-6 neigh replace fe80::1 lladdr 02:00:00:00:00:06 dev here nud permanent")
    tables = try socket.readTables()
    #expect(tables.gateways.count == 2)
    #expect(
      Set(tables.gateways.map(\.hardwareAddress)) == [[2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 6]])

    try space.ip("neigh del 192.0.2.1 dev here")
    try space.ip("-6 route del default via fe80::1 dev here metric 5")
    tables = try socket.readTables()
    #expect(tables.gateways.map(\.hardwareAddress) == [nil])
    try space.join("192.0.2.1", "02:00:00:00:00:02")
    #expect(Self.fingerprints(try socket.readTables()) != home)
    try space.join("192.0.2.254", "02:00:00:00:00:01")
    #expect(Self.fingerprints(try socket.readTables()) == home)
  }

  @Test("several gateways of a route, other tables, and routes to nowhere")
  func otherRoutes() throws {
    let space = try NetworkNamespace()
    defer { space.end() }
    let socket = try space.socket(hearsChanges: false)
    try space.ip("route add unreachable default metric 1")
    try space.ip("route add default via 192.0.2.9 dev here table 100")
    #expect(!(try socket.readTables()).hasDefaultRoute)
    try space.ip(
      "route add default metric 7 nexthop via 192.0.2.1 dev here nexthop via 192.0.2.5 dev here")
    #expect(
      Set(try socket.readTables().gateways.map(\.address.bytes))
        == [[192, 0, 2, 1], [192, 0, 2, 5]])
    try space.ip("link add far type veth peer name away")
    try space.ip("link set away up")
    try space.ip("link set far up arp off")
    try space.ip("route add default dev far metric 2")
    #expect(try socket.readTables().gateways.count == 2, "a device without ARP is like a tunnel")
  }

  @Test("a stream has an element when the gateway or its hardware address changes")
  func monitor() async throws {
    let space = try NetworkNamespace()
    defer { space.end() }
    try space.join("192.0.2.1", "02:00:00:00:00:01")
    let stream = try NetworkMonitor.stream { hearsChanges throws(ClientError) in
      try space.socket(hearsChanges: hearsChanges)
    }
    // This is not a gateway, so it must not be an element.
    try space.ip("neigh replace 192.0.2.77 lladdr 02:00:00:00:00:77 dev here")
    let seen = Mutex(0)
    let reading = Task.besidePrograms {
      for await _ in stream { seen.withLock { $0 += 1 } }
    }
    try space.ip("neigh replace 192.0.2.1 lladdr 02:00:00:00:00:02 dev here nud permanent")
    try await eventually("a changed hardware address") { seen.withLock { $0 } >= 1 }
    try space.ip("route replace default via 192.0.2.254 dev here")
    try await eventually("a changed route") { seen.withLock { $0 } >= 2 }
    try space.ip("link set there down")
    try await eventually("a lost carrier") { seen.withLock { $0 } >= 3 }
    reading.cancel()
    try await reading.value
  }
}
