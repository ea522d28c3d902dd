import BellhopTestSupport
import Testing

@Suite("Places of two devices", .realPrograms)
struct PlaceTests {
  @Test("an item comes on every device when one arrives, also while that one has no connection")
  func arrival() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let away = try await scene.device("away", on: store, url: wire.url)
      let home = try await scene.device("home", on: store)
      try await away.succeed("place", "add", "office", "--wait")
      try await away.succeed(
        "publish", "ask Ann", "--app", "notes", "--at-place", "office:entry")
      let unknown = try await away.bellhop(
        "publish", "ask Ann", "--app", "notes", "--at-place", "gym:entry")
      #expect(unknown.exitCode != 0)
      #expect(unknown.errors.contains("places: office"), "\(unknown.errors)")
      for device in [away, home] {
        try await device.succeed("sync")
        let listed = try await device.succeed("requests")
        #expect(listed.hasPrefix("at a place "), "\(listed)")
        #expect(listed.contains("on arrival at office"), "\(listed)")
        #expect(try await device.succeed("place").contains("no device"))
      }

      wire.cut()
      try await away.succeed("place", "enter", "office")
      #expect(try await away.succeed("list", "--offline").contains("ask Ann"))
      #expect(try await away.succeed("place", "list", "--offline").contains("here"))
      try await home.succeed("sync")
      #expect(try await home.succeed("list") == "")

      try wire.restore()
      for device in [away, home] { try await device.succeed("sync") }
      #expect(try await home.succeed("list").contains("ask Ann"))
      #expect(try await home.succeed("place").contains("1 device"))
      // The second device crosses no boundary.
      try await home.succeed("dismiss", "1", "--wait")
      try await home.succeed("place", "enter", "office", "--wait")
      #expect(try await home.succeed("place").contains("here, and 1 other device"))
      for device in [away, home] {
        try await device.succeed("sync")
        #expect(try await device.succeed("list") == "")
      }
      // Once both have left, the next one that arrives brings the item again.
      try await home.succeed("place", "leave", "office", "--wait")
      try await away.succeed("place", "leave", "office", "--wait")
      try await home.succeed("place", "enter", "office", "--wait")
      for device in [away, home] {
        try await device.succeed("sync")
        #expect(try await device.succeed("list").contains("ask Ann"))
      }
    }
  }

  @Test("an app may wait for a place only with permission, and never learns that it was delivered")
  func permission() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("laptop", on: store)
      let publisher = try await store.publisher()
      try await device.succeed("place", "add", "office", "--wait")
      func publish() async throws -> Int {
        try await publisher.publishGraph(
          """
          { "targetHostName": "ci", "payload": { "visualContent": { "title": "at work" } },
            "trigger": { "place": { "name": "office", "on": "entry" }, "repeats": false } }
          """
        ).status
      }
      #expect(try await publish() == 403)
      try await device.succeed("apps", "set", "ci", "--places", "--new", "--wait")
      #expect(try await publish() == 201)
      let before = try await publisher.curl("/v1.0/me/requests?targetHostName=ci")
      #expect(before.body.contains("office") && !before.body.contains("nextTriggerDateTime"))
      try await device.succeed("place", "enter", "office", "--wait")
      #expect(try await device.succeed("list").contains("at work"))
      let after = try await publisher.curl("/v1.0/me/requests?targetHostName=ci")
      #expect(after.body == before.body)
    }
  }

  /// A device with a store, in a network namespace of its own with a gateway of two addresses.
  private static let journey = """
    set -e
    trap 'kill $(jobs -p) || true; wait' EXIT
    ip link set lo up
    ip link add here type veth peer name there
    ip link set here up
    ip link set there up
    ip addr add 192.0.2.2/24 dev here
    ip route add default via 192.0.2.1
    join() { ip neigh replace 192.0.2.1 lladdr 02:00:00:00:00:0$1 dev here nud permanent; }
    until_true() {
      for round in $(seq 300); do if "$@"; then return 0; fi; sleep 0.1; done
      echo "never: $*"; cat agent.log store.log; return 1
    }
    is_listed() { "$BELLHOP" list --offline 2>/dev/null | grep -q "ask Ann"; }
    join 1
    "$BELLHOPD" user add alice --data data
    "$BELLHOPD" token create --user alice --scope enrol --data data > token
    chmod 600 token
    timeout 100 "$BELLHOPD" serve --data data --listen 127.0.0.1:18642 > store.log 2>&1 &
    until_true "$BELLHOP" login http://127.0.0.1:18642 --token-file token
    "$BELLHOP" apps new allow --wait
    "$BELLHOP" place add office --here --wait
    "$BELLHOP" place list
    "$BELLHOP" place leave office --wait
    join 2
    "$BELLHOP" publish "ask Ann" --app notes --at-place office:entry
    is_listed && exit 1
    timeout 100 "$BELLHOP" agent > agent.log 2>&1 &
    until_true grep -q "is running" agent.log
    join 1
    until_true is_listed
    "$BELLHOP" place list
    """

  @Test(
    "a device that comes back to the network of a place arrives there",
    .enabled("needs a network namespace") { await namespaceIsAllowed() })
  func network() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let child = try Child(
      "/usr/bin/unshare",
      ["--map-root-user", "--net", "bash", "-c", Self.journey],
      environment: [
        "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": folder.path, "LANG": "C.UTF-8",
        "BELLHOP": Programs.bellhop, "BELLHOPD": Programs.bellhopd,
      ], directory: folder.path, folder: folder.path + "/output")
    let ending = try await child.waitForEnd(within: .seconds(120))
    #expect(ending == .exited(0), "\(child.output)\(child.errors)")
    #expect(child.output.contains("here · known to this device"), "\(child.output)")
    #expect(child.output.hasSuffix("here · known to this device\n"), "\(child.output)")
  }

  private static func namespaceIsAllowed() async -> Bool {
    guard let folder = try? TemporaryFolder() else { return false }
    defer { folder.remove() }
    let child = try? Child(
      "/usr/bin/unshare", ["--map-root-user", "--net", "/sbin/ip", "link"], environment: [:],
      directory: folder.path, folder: folder.path)
    return (try? await child?.waitForEnd()) == .exited(0)
  }
}
