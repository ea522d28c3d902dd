package import BellhopModel
package import BellhopText

/// What the header says of the store.
package struct ConnectionStatus: Hashable, Sendable {
  package enum Link: Hashable, Sendable {
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

  package var link: Link
  /// Changes that the store has not acknowledged yet.
  package var waiting: Int
  /// The store's clock minus this machine's, where a person would notice it.
  package var clockDifference: Duration?
  /// Whether the store is the private one and a person stopped it: nothing starts it by itself.
  package var isStoreStopped: Bool

  package init(
    _ link: Link, waiting: Int = 0, clockDifference: Duration? = nil, isStoreStopped: Bool = false
  ) {
    self.link = link
    self.waiting = waiting
    self.clockDifference = clockDifference
    self.isStoreStopped = isStoreStopped
  }
}

/// One line for the person: what happened, what is safe, what to do.
package struct Notice: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case information
    /// Something was done; drawn as good news.
    case success
    case error
  }

  package var kind: Kind
  package var text: SafeText
  /// The same in a few words, for narrow screens; nil where it can as well be cut.
  package var brief: SafeText?
  /// The line that takes its place, where what it offers ends by itself.
  var later: Later?

  struct Later: Hashable, Sendable {
    var start: Timestamp
    var text: SafeText
  }

  package init(_ kind: Kind, _ text: SafeText, brief: SafeText? = nil) {
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
package struct FirstRunHelp: Hashable, Sendable {
  /// Whether the store is the private one on this machine.
  package var isPrivateStore: Bool
  /// A command that publishes from another terminal.
  package var publishCommand: SafeText
  /// The whole `curl` line for any other program, as it is copied; empty when there is none.
  package var curlLine: SafeText
  /// A sentence where publishers do not use the port that the documentation names; else empty.
  package var portNote: SafeText

  package init(
    isPrivateStore: Bool, publishCommand: SafeText, curlLine: SafeText, portNote: SafeText = .empty
  ) {
    self.isPrivateStore = isPrivateStore
    self.publishCommand = publishCommand
    self.curlLine = curlLine
    self.portNote = portNote
  }
}
