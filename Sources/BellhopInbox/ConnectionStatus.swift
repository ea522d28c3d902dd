package import BellhopModel
package import BellhopText

/// The state of the store's connection, as shown in the header.
package struct ConnectionStatus: Hashable, Sendable {
  package enum Link: Hashable, Sendable {
    /// Not known yet: the screen is drawn before any network request.
    case connecting
    /// Changes are signalled at once.
    case live
    /// The store is polled at intervals.
    case polling(every: Duration)
    /// Everything is being fetched for the first time; received items can already be used.
    ///
    /// The total is nil unless the store reports it.
    case firstSync(received: Int, total: Int?)
    /// The store responds, but requests a pause until the given time.
    case busy(until: Timestamp)
    /// The store cannot be reached, since the given time, if known.
    case offline(since: Timestamp?)
    /// The store no longer knows this device; carries who removed it, and when.
    case signedOut(Provenance?)
  }

  package var link: Link
  /// The number of changes that the store has not acknowledged yet.
  package var waiting: Int
  /// The store's clock minus this machine's, if the difference is noticeable.
  package var clockDifference: Duration?
  /// Whether the user stopped the private store, so that nothing starts it automatically.
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

/// One line for the user: what happened, what is safe, what to do.
package struct Notice: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case information
    /// Something was done; drawn as good news.
    case success
    case error
  }

  package var kind: Kind
  package var text: SafeText
  /// A short version for narrow screens; nil if the text can simply be cut.
  package var brief: SafeText?
  /// The line while titles and texts are hidden; nil if it has no words of an item.
  package var hidden: SafeText?
  /// The line that replaces this one when its offer expires.
  var later: Later?

  struct Later: Hashable, Sendable {
    var start: Timestamp
    var text: SafeText
  }

  package init(
    _ kind: Kind, _ text: SafeText, brief: SafeText? = nil, hidden: SafeText? = nil
  ) {
    self.init(kind, text, brief: brief, later: nil)
    self.hidden = hidden
  }

  init(_ kind: Kind, _ text: SafeText, brief: SafeText?, later: Later?) {
    self.kind = kind
    self.text = text
    self.brief = brief
    self.later = later
  }
}

extension InboxState {
  /// Shows a line of information.
  mutating func say(_ text: SafeText) { notice = Notice(.information, text) }
}

/// The instructions for publishing on the first-run screen.
///
/// The values depend on the machine, so they come from outside.
package struct FirstRunHelp: Hashable, Sendable {
  /// Whether the store is the private one on this machine.
  package var isPrivateStore: Bool
  /// A command that publishes from another terminal.
  package var publishCommand: SafeText
  /// The complete `curl` line for other programs, as it is copied; empty if there is none.
  package var curlLine: SafeText
  /// A sentence for publishers if the port differs from the documented one; otherwise empty.
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
