extension ContentExtras {
  /// A button that a publisher puts on an item.
  ///
  /// The client that shows the item performs the action, never a store. Choosing an action is an
  /// operation like any other (``ActionChoice``). All fields except the first two are omitted when
  /// empty.
  public struct Action: Hashable, Sendable, Codable {
    /// The identifier of the action, unique within its item.
    public var id: String
    /// The text of the button.
    public var title: String
    /// The kind of action; nil, as earlier publishers wrote it, for a kind that ``effect`` infers.
    public var kind: Kind?
    /// The names of ``Option`` cases; unknown names, of later versions, are ignored.
    public var options: [String]?
    /// The URL to open or call.
    public var url: String?
    /// The text to copy.
    public var text: String?
    /// The method of the HTTP request; nil for `POST`.
    public var method: String?
    /// The headers of the HTTP request, in addition to those that every request has.
    public var headers: [String: String]?
    /// The body of the HTTP request. The body of a reply is the text that the user typed.
    public var body: String?
    /// The placeholder of the reply's text field.
    public var placeholder: String?
    /// The text of the button that sends the reply; nil for the client's own.
    public var buttonTitle: String?
    /// The sequence at which an action of a ``Category`` last changed; nil for an item's own.
    public var revision: SequenceNumber?

    public init(
      id: String, title: String, kind: Kind? = nil, options: [String]? = nil,
      url: String? = nil, text: String? = nil, method: String? = nil,
      headers: [String: String]? = nil, body: String? = nil, placeholder: String? = nil,
      buttonTitle: String? = nil
    ) {
      self.id = id
      self.title = title
      self.kind = kind
      self.options = options
      self.url = url
      self.text = text
      self.method = method
      self.headers = headers
      self.body = body
      self.placeholder = placeholder
      self.buttonTitle = buttonTitle
    }

    /// The effect of an action, in addition to reporting that it was chosen.
    ///
    /// An unknown word comes from a later version: the client shows such an action, but the user
    /// cannot choose it.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable {
      public var rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }

      /// Opens ``Action/url``.
      public static let open = Kind(rawValue: "open")
      /// Copies ``Action/text``.
      public static let copy = Kind(rawValue: "copy")
      /// Makes an HTTP request to ``Action/url``.
      public static let http = Kind(rawValue: "http")
      /// Prompts for a line of text, and sends it to ``Action/url`` if there is one.
      public static let reply = Kind(rawValue: "reply")
      /// Has no further effect; the publisher learns of the choice from a web hook.
      public static let report = Kind(rawValue: "report")

      public static let known: [Kind] = [.open, .copy, .http, .reply, .report]
    }

    /// A further property of an action.
    public enum Option: String, Hashable, Sendable, CaseIterable {
      /// The action dismisses the item instead of activating it.
      case clear
      /// The action is destructive: shown as such, and confirmed before it is performed.
      case destructive
      /// The user confirms the action before it is performed.
      case confirm
      /// The item is opened before the action is performed.
      case foreground
      /// The user proves who they are before the action is performed.
      case authenticationRequired
    }

    /// The kind of the action, inferred if the publisher did not name one.
    public var effect: Kind { kind ?? (url == nil ? .report : .open) }

    public func has(_ option: Option) -> Bool { options?.contains(option.rawValue) ?? false }
  }
}

/// The action of an item that a user chose, and the text they typed.
///
/// Part of the change that sets ``ItemState/userActionState``; stored with its author and time.
public struct ActionChoice: Hashable, Sendable, Codable {
  /// The chosen action's ``ContentExtras/Action/id``.
  public var id: String
  /// The chosen action's ``ContentExtras/Action/title`` as the user saw it.
  ///
  /// Shown after the content or the category is replaced. The store fills it in; a device does so for
  /// actions of a category, to show the choice before that.
  public var title: String?
  /// The text that the user typed; nil for an action that does not prompt for one.
  public var text: String?
  /// The ``ContentExtras/Action/revision`` of the action that was shown; nil to accept any.
  public var revision: SequenceNumber?

  public init(
    id: String, title: String? = nil, text: String? = nil, revision: SequenceNumber? = nil
  ) {
    self.id = id
    self.title = title
    self.text = text
    self.revision = revision
  }

  /// Creates the choice of an action that a user was shown.
  public init(_ action: ContentExtras.Action, text: String? = nil) {
    self.init(id: action.id, title: action.title, text: text, revision: action.revision)
  }

  /// The maximum size of ``text`` in bytes of UTF-8: one typed line.
  public static let textBytesMax = 4096
}
