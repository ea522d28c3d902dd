internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopTime
internal import BellhopWire
internal import FoundationEssentials
internal import Glibc

/// The options of `bellhop publish`.
package struct PublishRequest: Sendable, Hashable {
  package var body: String?
  package var title: String?
  package var subtitle: String?
  package var app: String?
  package var id: String?
  package var group: String?
  package var priority: String?
  package var tags: [String] = []
  package var url: String?
  package var expires: String?
  package var rawFile: String?
  /// The value of `--at`: a time, or a span from now.
  package var deliverAt: String?
  /// The value of `--in`: a span.
  package var deliverIn: String?
  /// The value of `--every`: a span, or repeated wall-clock times.
  package var every: String?
  /// The value of `--zone`: the time zone of `--every`.
  package var zone: String?
  /// The value of `--at-place`: a place with `:entry` or `:exit`.
  package var atPlace: String?
  /// The category of the item.
  package var category: String?
  /// The name of the sound.
  package var sound: String?
  /// The number that the app shows from now on.
  package var badge: Int?
  /// The JSON object for the app's own handlers.
  package var userInfo: String?
  /// The value of `--environment`: development or production.
  package var environment: String?
  /// The actions, each in the form that `ActionPhrase` reads.
  package var actions: [String] = []
  /// The paths of files that the store keeps with the item.
  package var attachedFiles: [String] = []
  /// Whether the command waits for the user's answer.
  package var awaitsAnswer = false
  /// The longest wait, as a span; nil for any.
  package var timeout: String?

  package init() {}

  /// The app of items that do not name one.
  private static let appByDefault = "terminal"
  /// The longest title that a store accepts.
  private static let titleBytesMax = 512
  /// The size limit for input, slightly above the store's own limits, which give the exact error.
  private static let inputBytesMax = 64 * 1024

  /// Returns the content to publish. Reads standard input and the raw file if requested.
  ///
  /// Without a title, the first line of the body becomes the title.
  /// - Throws: `ClientError` that names the incorrect option.
  func content(now: Timestamp, readInput: () throws -> String) throws -> Content {
    var text = body
    if text == "-" { text = try readInput() }
    text = text.map(Self.withoutFinalLineEnds)
    let raw = try rawFile.map(Self.read)
    var visual: VisualContent?
    if let title {
      visual = VisualContent(
        title: title, subtitle: subtitle, body: text.flatMap { $0.isEmpty ? nil : $0 })
    } else if let text, !text.isEmpty {
      visual = Self.titled(text, subtitle: subtitle)
    }
    guard visual != nil || raw != nil else {
      throw ClientError(
        .usage, "No text was given.",
        next: "Use bellhop publish \"Backup finished\", or - to read standard input.")
    }
    if let url, Link(url) == nil {
      throw ClientError(
        .usage, "\"\(url.prefix(64))\" is not a valid --url.",
        next: "Nothing was published. Use an https, http or mailto link, such as "
          + "https://ci.example.com/412.")
    }
    if let app, !AppName.isValid(app) {
      throw ClientError(
        .usage, "\"\(app.prefix(64))\" is not a valid --app.",
        next: "Nothing was published. Use a host or a topic: letters, digits, dots, dashes and "
          + "underscores, such as ci.example.com or backups.")
    }
    let expiration = try expires.map {
      try TimeExpression.instant($0, option: "--expires", now: now)
    }
    var content = Content(
      app: app ?? Self.appByDefault, appNotificationID: id, group: group,
      priority: try parsedPriority(), tags: tags, visual: visual, raw: raw, clickURL: url,
      expiration: expiration, deliverAt: try delivery(now: now, before: expiration),
      trigger: try trigger())
    content.extras.category = category
    content.extras.sound = sound
    content.extras.badge = badge
    content.extras.userInfo = try parsedUserInfo()
    content.extras.environment = try environment.flatMap {
      try EnvironmentOption.parse($0, consequence: "Nothing was published.").written
    }
    if awaitsAnswer { content.extras.awaitsResponse = true }
    content.extras.actions = ActionDraft.actions(try actions.map(ActionPhrase.draft))
    return content
  }

  private func parsedUserInfo() throws -> [String: InfoValue]? {
    guard let userInfo else { return nil }
    do {
      return try JSONDecoder().decode([String: InfoValue].self, from: Data(userInfo.utf8))
    } catch {
      throw ClientError(
        .usage, "--user-info is not a JSON object.",
        next: "Nothing was published. Use an object, such as '{\"build\": 412}'.")
    }
  }

  /// Returns the trigger of repeated delivery, or of a delivery at a place; nil without these options.
  private func trigger() throws -> Trigger? {
    if let atPlace { return try trigger(at: atPlace) }
    guard let every else {
      guard zone == nil else {
        throw ClientError(
          .usage, "--zone has no effect without --every.", next: "Nothing was published.")
      }
      return nil
    }
    guard deliverAt == nil, deliverIn == nil else {
      throw ClientError(
        .usage, "--every cannot be used together with --at and --in.",
        next: "Nothing was published. Use one of them.")
    }
    guard zone == nil || SpanPhrase.duration(every) == nil else {
      throw ClientError(
        .usage, "--zone has no effect on a span.",
        next: "Nothing was published. Use it with wall-clock times: --every \"mon 9:00\".")
    }
    switch RepeatPhrase.trigger(every, zone: zone) {
    case .success(let trigger): return trigger
    case .failure(let error):
      throw ClientError(
        .usage, "\"\(every.prefix(64))\" is not a valid --every. \(error.description)",
        next: "Nothing was published.")
    }
  }

  /// Returns the trigger of every arrival at a place, or of every departure.
  private func trigger(at text: String) throws -> Trigger {
    guard deliverAt == nil, deliverIn == nil, every == nil, zone == nil else {
      throw ClientError(
        .usage, "--at-place cannot be used together with --at, --in, --every and --zone.",
        next: "Nothing was published. Use one of them.")
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let direction = PlaceCrossing.Direction(rawValue: String(parts[1])),
      let trigger = try? Trigger(
        .place(PlaceCrossing(direction, of: String(parts[0]))), repeats: true)
    else {
      throw ClientError(
        .usage, "\"\(text.prefix(96))\" is not a valid --at-place.",
        next: "Nothing was published. Use a place with entry or exit, such as office:entry.")
    }
    return trigger
  }

  /// Returns the time of delivery; nil for immediate delivery.
  private func delivery(now: Timestamp, before expiration: Timestamp?) throws -> Timestamp? {
    let time: Timestamp
    switch (deliverAt, deliverIn) {
    case (nil, nil): return nil
    case (_?, _?):
      throw ClientError(
        .usage, "--at and --in cannot be used together.", next: "Use one of them.")
    case (let text?, nil): time = try TimeExpression.instant(text, option: "--at", now: now)
    case (nil, let text?):
      guard let span = SpanPhrase.duration(text) else {
        throw ClientError(
          .usage, "\"\(text.prefix(64))\" is not a valid --in.",
          next: "Nothing was published. Use a span such as 15m, 2h or 3d; --at takes a time.")
      }
      time = now.advanced(by: span)
    }
    guard time > now else {
      throw ClientError(
        .usage, "\(MomentText.localTime(time)) is in the past.",
        next: "Nothing was published. Without --at, it is delivered at once.")
    }
    if let expiration, expiration <= time {
      throw ClientError(
        .usage, "It would expire before its delivery: \(MomentText.localTime(expiration)).",
        next: "Nothing was published. Deliver it earlier, or let it expire later.")
    }
    return time
  }

  /// Uses the first line as the title and the rest as the body.
  ///
  /// If the line is too long for a title, the title is its beginning and the body is the whole
  /// text.
  private static func titled(_ text: String, subtitle: String?) -> VisualContent {
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    guard lines[0].utf8.count > titleBytesMax else {
      let rest = lines.count > 1 && !lines[1].isEmpty ? String(lines[1]) : nil
      return VisualContent(title: String(lines[0]), subtitle: subtitle, body: rest)
    }
    var title = ""
    for character in lines[0] {
      guard title.utf8.count + character.utf8.count <= titleBytesMax - 3 else { break }
      title.append(character)
    }
    return VisualContent(title: title + "…", subtitle: subtitle, body: text)
  }

  private func parsedPriority() throws -> Priority {
    guard let priority else { return .normal }
    guard let level = Priority(name: priority) ?? Int(priority).flatMap(Priority.init(rawValue:))
    else {
      throw ClientError(
        .usage, "\"\(priority.prefix(64))\" is not a valid --priority.",
        next: "Nothing was published. Use min, low, normal, high or urgent.")
    }
    return level
  }

  private static func withoutFinalLineEnds(_ text: String) -> String {
    var text = text[...]
    while text.last?.isNewline == true { text.removeLast() }
    return String(text)
  }

  /// Reads standard input up to a limit.
  static func standardInput() throws -> String {
    try readAll(STDIN_FILENO, name: "standard input")
  }

  private static func read(_ path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ClientError(.inputOutput, "Cannot read \(path): \(systemMessage(errno)).")
    }
    defer { close(descriptor) }
    return try readAll(descriptor, name: path)
  }

  private static func readAll(_ descriptor: Int32, name: String) throws -> String {
    do {
      return try FileText.read(descriptor, name: name, bytesMax: inputBytesMax)
    } catch var error as ClientError {
      error.next =
        "Nothing was published. Publish only its end: … | tail -n 50 | bellhop publish -"
      throw error
    }
  }
}
