import BellhopModel
import BellhopTestSupport
import Foundation
import Testing

@Suite("The order of rules")
struct RuleOrderTests {
  private func order(_ text: String) throws -> RuleOrder {
    try #require(RuleOrder(rawValue: text))
  }

  @Test(
    "an order lies between two others",
    arguments: [
      (nil, nil, "n"), ("n", nil, "t"), (nil, "n", "g"), ("g", "n", "j"), ("y", nil, "z"),
      ("z", nil, "zn"), (nil, "b", "an"), ("n", "o", "nn"), ("n", "ob", "o"), ("n", "nb", "nan"),
      ("nz", "o", "nzn"), ("az", "b", "azn"), ("c", "caab", "caaan"),
    ] as [(String?, String?, String)])
  func between(low: String?, high: String?, middle: String) throws {
    let (low, high) = (try low.map(order), try high.map(order))
    let found = try #require(RuleOrder.between(low, high))
    #expect(found.rawValue == middle)
    if let low { #expect(low < found) }
    if let high { #expect(found < high) }
  }

  @Test("there is none between two that are equal, and none without room")
  func full() throws {
    #expect(RuleOrder.between(try order("n"), try order("n")) == nil)
    #expect(RuleOrder.between(try order("o"), try order("n")) == nil)
    let last = String(repeating: "z", count: RuleOrder.bytesMax)
    #expect(RuleOrder.between(try order(last), nil) == nil)
    let first = String(repeating: "a", count: RuleOrder.bytesMax - 1) + "b"
    #expect(RuleOrder.between(nil, try order(first)) == nil)
    #expect(RuleOrder.between(nil, try order("a" + first.dropFirst(2))) != nil)
  }

  @Test("10,000 moves to the same place keep all orders within 64 bytes", arguments: 0..<4)
  func samePlace(place: Int) throws {
    var orders = RuleOrder.evenly(3)
    var renewals = 0
    for _ in 0..<10_000 {
      let index = min(place, orders.count)
      let low = index > 0 ? orders[index - 1] : nil
      let high = index < orders.count ? orders[index] : nil
      if let new = RuleOrder.between(low, high) {
        orders.insert(new, at: index)
        if orders.count > 200 { orders.remove(at: index == 0 ? orders.count - 1 : 0) }
      } else {
        orders = RuleOrder.evenly(orders.count)
        renewals += 1
      }
    }
    #expect(renewals < 100)
    #expect(orders == orders.sorted() && Set(orders).count == orders.count)
    #expect(orders.allSatisfy { $0.rawValue.utf8.count <= 64 })
  }

  @Test("random moves agree with a list of texts", arguments: [UInt64(1), 2, 3])
  func random(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var orders: [RuleOrder] = []
    for _ in 0..<200 {
      let index = Int(random.next() % UInt64(orders.count + 1))
      let new = try #require(
        RuleOrder.between(
          index > 0 ? orders[index - 1] : nil, index < orders.count ? orders[index] : nil),
        "seed \(seed)")
      orders.insert(new, at: index)
    }
    #expect(orders.map(\.rawValue) == orders.map(\.rawValue).sorted(), "seed \(seed)")
    #expect(orders.allSatisfy { RuleOrder(rawValue: $0.rawValue) == $0 }, "seed \(seed)")
  }

  @Test("even orders are short and ascending", arguments: [0, 1, 2, 24, 25, 26, 200, 675, 676])
  func evenly(count: Int) {
    let orders = RuleOrder.evenly(count)
    #expect(orders.count == count)
    #expect(orders == orders.sorted() && Set(orders).count == count)
    #expect(orders.allSatisfy { RuleOrder(rawValue: $0.rawValue) == $0 })
    let length = count < 26 ? 1 : count < 676 ? 2 : 3
    #expect(orders.allSatisfy { $0.rawValue.utf8.count <= length })
    if count == 1 { #expect(orders == [.first]) }
  }

  @Test(
    "other texts are not orders",
    arguments: ["", "a", "na", "N", "n1", "n ", "é", String(repeating: "n", count: 65)])
  func invalid(text: String) throws {
    #expect(RuleOrder(rawValue: text) == nil)
    let data = try JSONEncoder().encode([text])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([RuleOrder].self, from: data) }
  }

  @Test("an order is coded as its text")
  func coding() throws {
    let orders = [try order("n"), try order("nab")]
    let data = try JSONEncoder().encode(orders)
    #expect(String(decoding: data, as: UTF8.self) == #"["n","nab"]"#)
    #expect(try JSONDecoder().decode([RuleOrder].self, from: data) == orders)
  }
}
