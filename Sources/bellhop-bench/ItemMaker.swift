import BellhopModel

/// A generator of realistic items; item `n` is always the same.
///
/// They have twenty apps, words of which few are frequent, and some Chinese and Japanese text; a
/// third have actions, an attachment or Markdown.
struct ItemMaker: Sendable {
  /// The arrival of the last of `count` items.
  let end: Timestamp
  let count: Int
  private let kind: ItemKind

  init(_ kind: ItemKind, end: Timestamp, count: Int) {
    self.kind = kind
    self.end = end
    self.count = count
  }

  /// Creates a generator that continues after `count` items that ended at `now`.
  init(_ kind: ItemKind, end now: Timestamp, adding extra: Int, to count: Int) {
    self.kind = kind
    self.count = count + extra
    end = now.advanced(
      by: .milliseconds(Self.days * 86_400_000 * Int64(extra + 1) / Int64(count + extra)))
  }

  /// The number of days over which the items are spread, within a store's retention.
  private static let days: Int64 = 300

  static let apps = [
    "ci.example.com", "backups", "nas", "mail", "calendar", "grafana", "jira", "shop", "apt",
    "router", "printer", "github.com", "cron", "monitoring.example.com", "door", "weather",
    "bank", "chat", "deploy", "heating",
  ]
  private static let frequent = [
    "the", "of", "on", "is", "done", "failed", "disk", "build", "backup", "error", "warning",
    "update", "server", "passed", "tests", "order", "invoice", "meeting", "temperature", "night",
    "main", "branch", "memory", "usage", "high", "login", "password", "certificate", "expires",
    "report", "weekly", "message", "request", "review", "merged", "version", "release", "door",
    "sensor", "network",
  ]
  private static let syllables = [
    "ba", "cor", "den", "fi", "gul", "hex", "jo", "kam", "lin", "mor", "nep", "ol", "pra", "qui",
    "ros", "sta", "tur", "ul", "ven", "wex", "yor", "zet",
  ]
  private static let eastern = [
    "备份完成", "磁盘空间不足", "构建失败", "証明書の期限が切れます", "会議は十時に始まります", "订单已发货",
    "温度过高", "バックアップが完了しました", "新しいメッセージ", "网络连接中断",
  ]
  private static let vocabularySize = 6000.0

  /// Returns the arrival of item `index`.
  func arrival(_ index: Int) -> Timestamp {
    let span = Self.days * 86_400_000
    return Timestamp(
      milliseconds: end.milliseconds - span + span * Int64(index + 1) / Int64(max(1, count)))
  }

  func content(_ index: Int) -> Content {
    var random = SplitMix(seed: UInt64(index) &* 0x9e37_79b9 &+ 1)
    let app = Self.apps[Int(random.unit() * random.unit() * Double(Self.apps.count))]
    var title = words(3 + Int(random.next() % 5), &random)
    if random.next() % 20 == 0 {
      title += " " + Self.eastern[Int(random.next() % UInt64(Self.eastern.count))]
    }
    if index == count - 1 { title = Self.newestMark + " " + title }
    var content = Content(app: app)
    content.visual = VisualContent(
      title: title, body: words(5 + Int(random.next() % 21), &random))
    content.group = random.next() % 3 == 0 ? "group\(random.next() % 5)" : nil
    content.tags = random.next() % 4 == 0 ? ["tag\(random.next() % 30)"] : []
    content.priority = Priority(rawValue: 3 + Int(random.unit() * random.unit() * 3)) ?? .normal
    if random.next() % 2 == 0 { content.clickURL = "https://\(app)/item/\(index)" }
    if kind == .mixed, index.isMultiple(of: 3) { enrich(&content, index, &random) }
    return content
  }

  private func enrich(_ content: inout Content, _ index: Int, _ random: inout SplitMix) {
    let address = "https://\(content.app)/item/\(index)"
    content.tags = ["tag\(random.next() % 30)", "rich"]
    content.extras.actions = [
      ContentExtras.Action(id: "open", title: "Open the log", kind: .open, url: address + "/log"),
      ContentExtras.Action(
        id: "again", title: "Run it again", kind: .http, url: address + "/again", method: "POST",
        headers: ["Authorization": "Bearer none"], body: "{\"reason\":\"asked for\"}"),
    ]
    if random.next() % 2 == 0 {
      content.extras.attachments = [
        ContentExtras.Attachment(name: "log-\(index).txt", url: address + "/log.txt")
      ]
    } else {
      content.extras.markdown = true
      let body = content.visual?.body ?? ""
      content.visual?.body = "**\(words(2, &random))**: \(body)"
    }
  }

  /// The first word of the newest item's title, which occurs on the first screen and nowhere else.
  static let newestMark = "Firstpaintmark"

  /// Returns whether item `index` is still in the tray: the newest fiftieth of all items are.
  func isInTray(_ index: Int) -> Bool { index >= count - max(100, count / 50) }

  /// Returns item `index` as a store would send it; its sequence follows from the index.
  func notification(_ index: Int, device: Author) -> UserNotification {
    let arrival = arrival(index)
    let sequence = SequenceNumber(Int64(index) + 1)
    var random = SplitMix(seed: UInt64(index) &+ 77)
    var state = ItemState(sequence: sequence, contentSequence: sequence, changed: arrival)
    if !isInTray(index) {
      let change = RegisterChange(
        at: arrival.advanced(by: .seconds(60)), by: device,
        operation: OperationID(high: random.next(), low: random.next()))
      state.userActionState = state.userActionState.setting(.dismissed, change: change)
      if random.next() % 3 > 0 { state.readState = state.readState.setting(.read, change: change) }
    }
    return UserNotification(
      id: .version7(at: arrival, random: (random.next(), random.next())),
      shortNumber: Int64(index) + 1, created: arrival, arrival: arrival, content: content(index),
      state: state)
  }

  /// Returns random words: frequent words often, rare ones rarely.
  private func words(_ count: Int, _ random: inout SplitMix) -> String {
    var text = ""
    for position in 0..<count {
      if position > 0 { text += " " }
      // Evenly distributed logarithms give word frequencies like those of a language.
      let rank = Int(power(Self.vocabularySize, random.unit()))
      text += Self.word(rank - 1)
    }
    return text
  }

  private static func word(_ rank: Int) -> String {
    if rank < frequent.count { return frequent[rank] }
    var text = ""
    var rest = rank
    repeat {
      text += syllables[rest % syllables.count]
      rest /= syllables.count
    } while rest > 0
    return text + syllables[(rank * 7) % syllables.count]
  }

  /// Returns `base` to the power of `exponent`, from 0 up to 1, by sixteen square roots.
  private func power(_ base: Double, _ exponent: Double) -> Double {
    var result = 1.0
    var root = base
    var rest = exponent
    for _ in 0..<16 {
      root = root.squareRoot()
      rest *= 2
      if rest >= 1 {
        result *= root
        rest -= 1
      }
    }
    return result
  }
}

/// The kind of items in a measurement.
enum ItemKind: String, Sendable {
  /// A third have actions, an attachment or Markdown.
  case mixed
  /// All have text and tags only.
  case plain
}

/// The SplitMix generator.
///
/// Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014.
struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 up to, but not including, 1.
  mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
