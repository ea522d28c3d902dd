internal import BellhopModel

/// Messages between store processes as text, for channels with short payloads.
///
/// A payload is ASCII: the version, the sender, and a line for each message. Payloads of other
/// versions are unreadable, so that a receiver compares everything with the storage.
package struct PeerPayload: Hashable, Sendable {
  /// The maximum size of a payload in bytes: `NOTIFY` of PostgreSQL refuses 8,000.
  package static let bytesMax = 7999
  /// The first byte of a payload.
  private static let version = "1"
  private static let senderDigits = 16

  /// The process that sent it.
  package var sender: UInt64
  package var batch: PeerBatch

  private static func head(_ sender: UInt64) -> String {
    let digits = String(sender, radix: 16)
    return version + String(repeating: "0", count: senderDigits - digits.count) + digits
  }

  // MARK: - Writing

  /// Returns the payloads for a batch, as many as its size needs.
  package static func encode(_ batch: PeerBatch, from sender: UInt64) -> [String] {
    let head = head(sender)
    guard case .messages(let messages) = batch else { return [head + "\n*"] }
    var payloads: [String] = []
    var text = head
    var life: DataLife?
    for message in messages {
      var entry = entry(message, after: life)
      if text.utf8.count + entry.utf8.count > bytesMax {
        payloads.append(text)
        (text, life) = (head, nil)
        entry = Self.entry(message, after: nil)
      }
      // Only if a name is far longer than a store accepts.
      if text.utf8.count + entry.utf8.count > bytesMax { return [head + "\n*"] }
      text += entry
      if case .items(let change) = message { life = change.life }
    }
    return text == head ? payloads : payloads + [text]
  }

  /// Returns the line of a message, after the life of its data if that is not `life`.
  private static func entry(_ message: PeerMessage, after life: DataLife?) -> String {
    guard case .items(let change) = message, change.life != life else { return line(message) }
    let epoch = text(change.life.epoch.rawValue)
    return "\ne \(epoch) \(change.life.start)" + line(message)
  }

  private static func line(_ message: PeerMessage) -> String {
    let fields: [String?] =
      switch message {
      case .items(let change):
        [
          "i", "\(change.user.rawValue)", "\(change.sequence)",
          change.device.map { text($0.rawValue) },
        ]
      case .subscriptions(let user): ["s", "\(user.rawValue)"]
      case .ended(.user(let user)): ["u", "\(user.rawValue)"]
      case .ended(.token(let token, let user, let device)):
        ["t", "\(user.rawValue)", "\(token)", device.map { text($0.rawValue) }]
      case .ended(.device(let device, let user, let kept)):
        ["d", "\(user.rawValue)", text(device.rawValue), kept.map { "\($0)" }]
      }
    return "\n" + fields.compactMap(\.self).joined(separator: " ")
  }

  /// Returns a text without spaces and control characters.
  private static func text(_ raw: String) -> String { Base64URL.encode(Array(raw.utf8)) }
}

// MARK: - Reading

extension PeerPayload {
  /// Reads a payload; nil if it is of another version, or not one at all.
  package init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let head = lines.first, head.hasPrefix(Self.version),
      head.utf8.count == Self.version.utf8.count + Self.senderDigits,
      let sender = UInt64(head.dropFirst(Self.version.count), radix: 16)
    else { return nil }
    self.sender = sender
    if lines.dropFirst() == ["*"] {
      batch = .everything
      return
    }
    var messages: [PeerMessage] = []
    var life: DataLife?
    for line in lines.dropFirst() {
      let fields = Fields(line)
      if fields.kind == "e" {
        guard let found = fields.life else { return nil }
        life = found
      } else {
        guard let message = fields.message(in: life) else { return nil }
        messages.append(message)
      }
    }
    batch = .messages(messages)
  }

  /// The parts of a line.
  private struct Fields {
    private let parts: [Substring]

    init(_ line: Substring) {
      parts = line.split(separator: " ", omittingEmptySubsequences: false)
    }

    var kind: Substring { parts.first ?? "" }

    /// The life of the data that the line names.
    var life: DataLife? {
      guard parts.count == 3, let epoch = text(1), let start: UniqueID<StoreStart> = id(2) else {
        return nil
      }
      return DataLife(epoch: Epoch(epoch), start: start)
    }

    /// Returns the message of the line.
    ///
    /// - Parameter life: The life that an earlier line names.
    func message(in life: DataLife?) -> PeerMessage? {
      guard parts.count >= 2, let number = Int64(parts[1]) else { return nil }
      let user = UserID(rawValue: number)
      switch (kind, parts.count) {
      case ("i", 3...4):
        guard let life, let sequence = Int64(parts[2]), sequence >= 0 else { return nil }
        var change = ItemsChange(user: user, sequence: SequenceNumber(sequence), life: life)
        if parts.count == 4 {
          guard let device = text(3) else { return nil }
          change.device = DeviceID(device)
        }
        return .items(change)
      case ("s", 2): return .subscriptions(user)
      case ("u", 2): return .ended(.user(user))
      case ("t", 3...4):
        guard let token: AccessTokenID = id(2) else { return nil }
        guard parts.count == 4 else { return .ended(.token(token, of: user)) }
        return text(3).map { .ended(.token(token, of: user, device: DeviceID($0))) }
      case ("d", 3...4):
        guard let device = text(2).map({ DeviceID($0) }) else { return nil }
        guard parts.count == 4 else { return .ended(.device(device, of: user)) }
        guard let kept: AccessTokenID = id(3) else { return nil }
        return .ended(.device(device, of: user, keeping: kept))
      default: return nil  // open: Substring
      }
    }

    private func text(_ place: Int) -> String? {
      Base64URL.decode(String(parts[place])).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private func id<Tag>(_ place: Int) -> UniqueID<Tag>? { UniqueID(parts[place]) }
  }
}
