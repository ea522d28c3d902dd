public import BellhopModel
public import BellhopText

/// What the header says of the store.
public struct ConnectionStatus: Hashable, Sendable {
  public enum Link: Hashable, Sendable {
    /// Nothing is known yet: the screen was painted before the network was asked.
    case connecting
    /// Changes are signalled at once.
    case live
    /// The store is asked at intervals.
    case polling(every: Duration)
    /// Everything is fetched for the first time; what is here can be used. How many there are, if
    /// the store says so.
    case firstSync(received: Int, total: Int?)
    /// The store answers, and asks to be left alone until then.
    case busy(until: Timestamp)
    /// The store cannot be reached; since when, if that is known.
    case offline(since: Timestamp?)
    /// The store no longer knows this device: who took it off the list, and when.
    case signedOut(Provenance?)
  }

  public var link: Link
  /// Changes that the store has not acknowledged yet.
  public var waiting: Int
  /// The store's clock minus this machine's, where a person would notice it.
  public var clockDifference: Duration?
  /// Whether the store is the private one and a person stopped it: nothing starts it by itself.
  public var isStoreStopped: Bool

  public init(
    _ link: Link, waiting: Int = 0, clockDifference: Duration? = nil, isStoreStopped: Bool = false
  ) {
    self.link = link
    self.waiting = waiting
    self.clockDifference = clockDifference
    self.isStoreStopped = isStoreStopped
  }
}

/// One line for the person: what happened, what is safe, what to do.
public struct Notice: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case information
    /// Something was done; drawn as good news.
    case success
    case error
  }

  public var kind: Kind
  public var text: SafeText
  /// The same in a few words, for narrow screens; nil where it can as well be cut.
  public var brief: SafeText?
  /// The line that takes its place, where what it offers ends by itself.
  var later: Later?

  struct Later: Hashable, Sendable {
    var start: Timestamp
    var text: SafeText
  }

  public init(_ kind: Kind, _ text: SafeText, brief: SafeText? = nil) {
    self.init(kind, text, brief: brief, later: nil)
  }

  init(_ kind: Kind, _ text: SafeText, brief: SafeText?, later: Later?) {
    self.kind = kind
    self.text = text
    self.brief = brief
    self.later = later
  }
}

/// What the first-run screen tells about publishing. The values are the machine's, so they come
/// from outside.
public struct FirstRunHelp: Hashable, Sendable {
  /// Whether the store is the private one on this machine.
  public var isPrivateStore: Bool
  /// A command that publishes from another terminal.
  public var publishCommand: SafeText
  /// The whole `curl` line for any other program, as it is copied; empty when there is none.
  public var curlLine: SafeText
  /// A sentence where publishers do not use the port that the documentation names; else empty.
  public var portNote: SafeText

  public init(
    isPrivateStore: Bool, publishCommand: SafeText, curlLine: SafeText, portNote: SafeText = .empty
  ) {
    self.isPrivateStore = isPrivateStore
    self.publishCommand = publishCommand
    self.curlLine = curlLine
    self.portNote = portNote
  }
}
