import BellhopModel
import BellhopTestSupport
import Foundation
import Testing

@Suite("Repeats")
struct RepeatsTests {
  // MARK: Rounds and buckets

  @Test("buckets stay within 64 for a year of repeats, and their sum is the count")
  func year() {
    var repeats = Repeats(firstAt: Sample.start)
    for hour in 1...8760 as ClosedRange<Int64> {
      repeats = repeats.repeated(at: Sample.time(hour * 3600))
      #expect(repeats.buckets.count <= Repeats.bucketsMax)
      #expect(repeats.buckets.reduce(0, +) == repeats.count)
    }
    #expect(repeats.count == 8761)
    #expect(repeats.first == Sample.start && repeats.last == Sample.time(8760 * 3600))
    // The shortest doubled minute of which 64 are longer than a year.
    #expect(repeats.bucketSeconds == 60 << 14)
    #expect(repeats.buckets.count == 8760 * 3600 / (60 << 14) + 1)
  }

  @Test("a bucket counts the repeats of its interval from the first one on")
  func buckets() {
    func buckets(_ seconds: Int64...) -> Repeats {
      seconds.reduce(Repeats(firstAt: Sample.start)) { $0.repeated(at: Sample.time($1)) }
    }
    #expect(buckets().buckets == [1])
    #expect(buckets(0, 59).buckets == [3])
    #expect(buckets(60).buckets == [1, 1])
    #expect(buckets(59, 60, 200).buckets == [2, 1, 0, 1])
    let full = buckets(60, 3839)
    #expect(full.buckets.count == 64 && full.bucketSeconds == 60)
    let merged = full.repeated(at: Sample.time(3840))
    #expect(merged.bucketSeconds == 120 && merged.buckets.count == 33)
    #expect(merged.buckets[0] == 2 && merged.buckets[31] == 1 && merged.buckets[32] == 1)
    let odd = buckets(60, 120, 7680)
    #expect(odd.bucketSeconds == 240 && odd.buckets.prefix(2) == [3, 0])
    #expect(odd.buckets.count == 33 && odd.buckets[32] == 1)
  }

  @Test("a random stream of repeats is counted as a plain list counts it", arguments: 0..<20)
  func random(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    var times: [Int64] = [0]
    var repeats = Repeats(firstAt: Sample.start)
    for _ in 0..<200 {
      times.append(times[times.count - 1] + Int64(random.next() % (10 << (random.next() % 16))))
      repeats = repeats.repeated(at: Sample.time(times[times.count - 1]))
    }
    var expected = Array(repeating: 0, count: repeats.buckets.count)
    for time in times { expected[Int(time / repeats.bucketSeconds)] += 1 }
    #expect(repeats.buckets == expected, "seed \(seed)")
    #expect(repeats.buckets.count <= 64 && repeats.buckets.last != 0, "seed \(seed)")
    #expect(
      repeats.bucketSeconds == 60 || repeats.buckets.count > 32, "seed \(seed): longer than needed")
  }

  @Test("after the clock went back, repeats count into the last bucket")
  func clock() {
    let repeats = Repeats(firstAt: Sample.start).repeated(at: Sample.time(600))
    for earlier: Int64 in [599, 0, -86_400] {
      let next = repeats.repeated(at: Sample.time(earlier))
      #expect(next.count == 3 && next.last == Sample.time(600) && next.first == Sample.start)
      #expect(next.buckets.count == 11 && next.buckets.last == 2)
    }
    let far = repeats.repeated(at: .distantFuture)
    #expect(far.buckets.count <= 64 && far.buckets.reduce(0, +) == 3)
  }

  @Test("a new round keeps the last eight")
  func rounds() {
    var repeats = Repeats(firstAt: Sample.start)
    for round in 1...10 as ClosedRange<Int64> {
      repeats = repeats.repeated(at: Sample.time(round * 100 - 50))
      if round > 5 { repeats = repeats.repeated(at: Sample.time(round * 100 - 20)) }
      repeats = repeats.newRound(at: Sample.time(round * 100))
    }
    #expect(repeats.count == 1 && repeats.buckets == [1] && repeats.bucketSeconds == 60)
    #expect(repeats.first == Sample.time(1000) && repeats.last == Sample.time(1000))
    #expect(repeats.earlier.count == Repeats.earlierMax && Repeats.earlierMax == 8)
    #expect(
      repeats.earlier.first
        == Repeats.Round(count: 3, first: Sample.time(900), last: Sample.time(980)))
    #expect(
      repeats.earlier.last
        == Repeats.Round(count: 2, first: Sample.time(200), last: Sample.time(250)))
  }

  // MARK: Coded form

  @Test("the coded form is read back unchanged, and a damaged one is refused")
  func coding() throws {
    let first = Repeats(firstAt: Sample.start).repeated(at: Sample.time(90))
    for repeats in [first, first.newRound(at: Sample.time(100)).repeated(at: Sample.time(110))] {
      let data = try JSONEncoder().encode(repeats)
      #expect(try JSONDecoder().decode(Repeats.self, from: data) == repeats)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let json = String(decoding: try encoder.encode(first), as: UTF8.self)
    #expect(
      json == #"{"bucketSeconds":60,"buckets":[1,1],"count":2,"first":"2026-11-21T06:00:00.000Z","#
        + #""last":"2026-11-21T06:01:30.000Z"}"#)
    for (right, wrong) in [
      ("60", "0"), ("60", "-60"), ("[1,1]", "[]"), ("[1,1]", "[1,2]"), ("[1,1]", "[3,-1]"),
      ("[1,1]", "[9223372036854775807,9223372036854775807,4]"), ("06:01", "05:01"),
      ("[1,1]", "[2" + String(repeating: ",0", count: 64) + "]"),
    ] {
      let damaged = Data(json.replacing(right, with: wrong, maxReplacements: 1).utf8)
      #expect(throws: DecodingError.self, "\(wrong)") {
        try JSONDecoder().decode(Repeats.self, from: damaged)
      }
    }
  }

  @Test("policies and keys have the words of the wire")
  func words() {
    #expect(RepeatPolicy.allCases.map(\.rawValue) == ["keep", "collapse"])
    #expect(RepeatKey.allCases.map(\.rawValue) == ["exact", "ignoringNumbers"])
    #expect(ResolutionPolicy.allCases.map(\.rawValue) == ["mark", "publish"])
  }

  // MARK: Keys

  private static func content(
    _ title: String, app: String = "ci", group: String? = nil
  ) -> Content {
    Content(app: app, group: group, visual: VisualContent(title: title))
  }

  /// Expects that two contents are repeats of each other, or not, and have equal keys if they are.
  private func expect(
    _ left: Content, _ right: Content, areRepeats expected: Bool, by key: RepeatKey,
    _ place: SourceLocation = #_sourceLocation
  ) {
    #expect(left.isRepeat(of: right, by: key) == expected, sourceLocation: place)
    #expect(right.isRepeat(of: left, by: key) == expected, sourceLocation: place)
    let areEqual = left.collapseKey(key) == right.collapseKey(key)
    #expect(areEqual == expected, sourceLocation: place)
  }

  @Test("a repeat is equal in app, group and title, and in nothing else")
  func keys() {
    let content = Self.content("disk full", group: "nas")
    for key in RepeatKey.allCases {
      var other = content
      other.priority = .urgent
      other.tags = ["a"]
      other.appNotificationID = "1"
      other.visual?.body = "97 %"
      other.visual?.subtitle = "sda"
      expect(content, other, areRepeats: true, by: key)
      expect(content, Self.content("disk full"), areRepeats: false, by: key)
      expect(content, Self.content("disk full", group: "Nas"), areRepeats: false, by: key)
      expect(content, Self.content("Disk full", group: "nas"), areRepeats: false, by: key)
      expect(
        content, Self.content("disk full", app: "cd", group: "nas"), areRepeats: false, by: key)
      // The same letters in other fields.
      expect(
        Self.content("b", app: "aa", group: "a"), Self.content("b", app: "a", group: "aa"),
        areRepeats: false, by: key)
      // Canonically equivalent, but other bytes.
      expect(Self.content("\u{e9}"), Self.content("e\u{301}"), areRepeats: false, by: key)
    }
  }

  @Test("numbers do not count if the user says so")
  func numbers() {
    let content = Self.content("build 412 of 7 failed")
    for other in ["build 9 of 10 failed", "build 4120 of 7 failed", "build 412 of 7 failed"] {
      expect(content, Self.content(other), areRepeats: true, by: .ignoringNumbers)
    }
    expect(content, Self.content("build 9 of 10 failed"), areRepeats: false, by: .exact)
    for other in ["build of 7 failed", "build x of 7 failed", "build 4 1 of 7 failed"] {
      expect(content, Self.content(other), areRepeats: false, by: .ignoringNumbers)
    }
    // Only digits of ASCII, only in the title.
    expect(Self.content("٣"), Self.content("٤"), areRepeats: false, by: .ignoringNumbers)
    expect(
      Self.content("a", group: "1"), Self.content("a", group: "2"), areRepeats: false,
      by: .ignoringNumbers)
  }

  @Test("data, scheduled items and items with a trigger are never repeats")
  func others() throws {
    let content = Self.content("a")
    var scheduled = content
    scheduled.deliverAt = Sample.time(60)
    var triggered = content
    triggered.trigger = try Trigger(.interval(seconds: 60), repeats: true)
    for other in [Content(app: "ci", raw: "a"), scheduled, triggered] {
      for key in RepeatKey.allCases {
        #expect(other.collapseKey(key) == nil)
        #expect(!other.isRepeat(of: other, by: key))
        #expect(!content.isRepeat(of: other, by: key) && !other.isRepeat(of: content, by: key))
      }
    }
  }

  @Test("a key is the same in every version, because it is stored")
  func stored() {
    // Computed by another program, of ci, an empty group and "build #", each followed by 0xff.
    let expected = "19a6041ae5c82f5f5937f275a2089f27"
    let key = Self.content("build 412").collapseKey(.ignoringNumbers) ?? []
    let digits = key.flatMap { [$0 >> 4, $0 & 15] }.map { String($0, radix: 16) }
    #expect(digits.joined() == expected)
  }
}
