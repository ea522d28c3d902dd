import BellhopModel
import BellhopStore
import BellhopTestSupport
import Testing

@testable import BellhopServer

@Suite("How connections and requests are counted")
struct ConnectionCountTests {
  @Test("connections are counted by IPv4 address and IPv6 network; proxies are not counted")
  func networks() {
    let register = ConnectionRegister(
      perAddressMax: 2, proxies: TrustedProxies(["192.0.2.0/24", "::1"]))
    for (address, isOpen) in [
      ("2001:db8::1", true), ("2001:db8::2:1", true), ("2001:db8:0:0:ffff::", false),
      ("2001:db8:0:1::1", true), ("203.0.113.7", true), ("::ffff:203.0.113.7", true),
      ("203.0.113.7", false), ("203.0.113.8", true),
    ] {
      #expect(register.open(from: address) == isOpen, "\(address)")
    }
    for _ in 0..<5 {
      for address in ["192.0.2.1", "::ffff:192.0.2.200", "::1", nil] {
        #expect(register.open(from: address))
      }
    }
    register.close(from: "2001:db8::3")
    #expect(register.open(from: "2001:db8::4"))
    #expect(register.figures.refused == 2)
  }

  @Test("all networks of one IPv6 site together get four times the connections of one")
  func sites() {
    let register = ConnectionRegister(perAddressMax: 2, proxies: TrustedProxies([]))
    for network in 0..<8 {
      #expect(register.open(from: "2001:db8:1:\(network)::1"))
    }
    #expect(!register.open(from: "2001:db8:1:9::1"))
    #expect(register.open(from: "2001:db8:2:9::1"))
    #expect(register.open(from: "203.0.113.7"))
    register.close(from: "2001:db8:1:3::1")
    #expect(register.open(from: "2001:db8:1:9::1"))
    #expect(!register.open(from: "2001:db8:1:3::1"))
    #expect(register.figures.refused == 2)
  }

  @Test("the limit on open files bounds the connections of a listener")
  func openFiles() {
    for (wanted, listeners, limit, connections) in [
      (10_000, 1, 1_048_576, 10_000), (10_000, 2, 1128, 250), (10_000, 1, 256, 64),
      (10_000, 1, 255, nil), (10_000, 2, 383, nil), (10_000, 2, 10, nil), (10_000, 1, 128, nil),
      // As few as configured.
      (1, 1, 1024, 1), (10, 1, 148, 10), (10, 1, 147, nil),
    ] as [(Int, Int, Int, Int?)] {
      do throws(ServerError) {
        let possible = try OpenFiles.connectionsMax(
          wanted: wanted, listeners: listeners, limit: limit)
        #expect(possible == connections)
      } catch {
        #expect(connections == nil)
        let words = error.description
        #expect(words.contains("\(limit) open files") && words.contains("LimitNOFILE"))
        #expect(words.contains("\(128 + 128 * listeners) are needed"))
      }
    }
    #expect(OpenFiles.raiseLimit() >= 256)
  }
}

@Suite("Minimum speed of requests")
struct ReadingPaceTests {
  private let limits = ReadingPace.Limits(
    head: .seconds(10), body: .seconds(5), bytesPerSecondMin: 100)

  @Test("only time spent waiting for the client counts")
  func waiting() {
    var pace = ReadingPace(limits)
    #expect(pace.deadline == nil)
    pace.beginWaiting(at: .seconds(1))
    #expect(pace.deadline == .seconds(11))
    pace.received(5)
    pace.endWaiting(at: .seconds(4))
    #expect(pace.deadline == nil, "the server is busy")
    pace.beginWaiting(at: .seconds(100))
    #expect(pace.deadline == .seconds(107), "3 s were waited before")
  }

  @Test("a body earns time as it arrives, and the time between requests does not count")
  func body() {
    var pace = ReadingPace(limits)
    pace.beginWaiting(at: .seconds(0))
    pace.received(50)
    pace.headIsComplete()
    pace.endWaiting(at: .seconds(9))
    pace.beginWaiting(at: .seconds(9))
    #expect(pace.deadline == .seconds(14))
    pace.received(1000)
    pace.endWaiting(at: .seconds(12))
    pace.beginWaiting(at: .seconds(12))
    #expect(pace.deadline == .seconds(24), "10 s for the bytes, 3 s are used up")
    pace.requestIsComplete()
    pace.endWaiting(at: .seconds(13))
    pace.beginWaiting(at: .seconds(13))
    #expect(pace.deadline == nil)
    pace.received(1)
    pace.endWaiting(at: .seconds(5000))
    pace.beginWaiting(at: .seconds(5000))
    #expect(pace.deadline == .seconds(5010), "idle time is not held against the next head")
  }
}
