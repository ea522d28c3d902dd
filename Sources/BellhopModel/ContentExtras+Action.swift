extension ContentExtras {
  /// Something that a person can do with an item: a button that its publisher put on it.
  ///
  /// Whoever shows the item carries it out, never a store; that it was chosen is an operation like
  /// any other (``ActionChoice``). All fields but the first two are left out where they say nothing.
  public struct Action: Hashable, Sendable, Codable {
    /// Names it within its item.
    public var id: String
    /// What the button says.
    public var title: String
    /// What choosing it does; nil, as earlier publishers wrote it, is told by ``effect``.
    public var kind: Kind?
    /// Words of ``Option`` and of later versions; what is not known is passed over.
    public var options: [String]?
    /// What is opened, or called.
    public var url: String?
    /// What is copied.
    public var text: String?
    /// Of the call; `POST` when there is none.
    public var method: String?
    /// Of the call, beside those that every request has.
    public var headers: [String: String]?
    /// Of the call; a reply's body is what the person typed.
    public var body: String?
    /// Stands where the reply is typed, until something is.
    public var placeholder: String?

    public init(
      id: String, title: String, kind: Kind? = nil, options: [String]? = nil,
      url: String? = nil, text: String? = nil, method: String? = nil,
      headers: [String: String]? = nil, body: String? = nil, placeholder: String? = nil
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
    }

    /// What choosing an action does, beside being told. A word that is not known comes from a later
    /// version: such an action can be seen and not chosen.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable {
      public var rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }

      /// Opens ``Action/url``.
      public static let open = Kind(rawValue: "open")
      /// Copies ``Action/text``.
      public static let copy = Kind(rawValue: "copy")
      /// Makes an HTTP request to ``Action/url``.
      public static let http = Kind(rawValue: "http")
      /// Asks for a line of text, and sends it to ``Action/url`` if there is one.
      public static let reply = Kind(rawValue: "reply")
      /// Nothing more: the publisher learns of it by a web hook.
      public static let report = Kind(rawValue: "report")

      public static let known: [Kind] = [.open, .copy, .http, .reply, .report]
    }

    /// What else is to be known of an action.
    public enum Option: String, Hashable, Sendable, CaseIterable {
      /// The item counts as dismissed by it, not as opened.
      case clear
      /// It takes something away; shown so, and asked about.
      case destructive
      /// Asked about first.
      case confirm
    }

    /// The kind, also where the publisher did not name one.
    public var effect: Kind { kind ?? (url == nil ? .report : .open) }

    public func has(_ option: Option) -> Bool { options?.contains(option.rawValue) ?? false }
  }
}

extension UserNotification {
  /// The action that it carries under this id.
  public func action(_ id: String?) -> ContentExtras.Action? {
    content.extras.actions?.first { $0.id == id }
  }
}

/// Which of an item's actions a person chose, and what they typed.
///
/// Part of what sets ``ItemState/userActionState``, and kept beside who set it and when.
public struct ActionChoice: Hashable, Sendable, Codable {
  /// ``ContentExtras/Action/id``.
  public var id: String
  /// ``ContentExtras/Action/title`` as the person saw it; filled in when the choice is applied, so
  /// that it can be told when the content is another one.
  public var title: String?
  /// What the person typed; nil for an action that asks for nothing.
  public var text: String?

  public init(id: String, title: String? = nil, text: String? = nil) {
    self.id = id
    self.title = title
    self.text = text
  }

  /// The longest ``text``, in bytes of UTF-8: what a person types in a line.
  public static let textBytesMax = 4096
}
