/// The HTTP request of an item's action, validated before a client sends it.
///
/// The method, URL and headers are the publisher's. The form is strict, so that the request cannot
/// be mistaken for a different one. Whether the address may be contacted is for the caller to
/// decide.
public struct ActionCall: Hashable, Sendable {
  public let method: String
  public let url: OutboundURL
  public let headers: [String: String]
  /// The body of an `http` action. The body of a reply is the text that the user typed.
  public let body: String?

  /// The reason why an action does not describe a valid request.
  public struct FormatError: Error, Hashable {
    /// The member of the action that is at fault.
    public var field: String
    /// The accepted form: completes the sentence "expected …".
    public var expectation: String
  }

  public static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
  /// The maximum number of headers: more than any known interface needs.
  public static let headersMax = 16
  static let headerNameBytesMax = 64
  /// The maximum size of a header's value, in bytes: enough for a signed token.
  static let headerValueBytesMax = 2048

  /// Creates the request to the action's ``ContentExtras/Action/url``.
  ///
  /// - Throws: ``FormatError`` if the method, the URL or a header is not valid.
  public init(_ action: ContentExtras.Action) throws(FormatError) {
    method = action.method ?? "POST"
    guard Self.methods.contains(method) else {
      throw FormatError(
        field: "method", expectation: "one of " + Self.methods.joined(separator: ", "))
    }
    do throws(OutboundURL.FormatError) {
      // Plain HTTP is accepted: only the machine that sends the request knows where it leads.
      url = try OutboundURL(action.url ?? "", OutboundURL.Rules(allowsPlain: true))
    } catch {
      throw FormatError(field: "url", expectation: error.expectation)
    }
    headers = action.headers ?? [:]
    guard headers.count <= Self.headersMax else {
      throw FormatError(field: "headers", expectation: "at most \(Self.headersMax) headers")
    }
    for (name, value) in headers {
      if let expectation = Self.fault(ofHeader: name, value) {
        throw FormatError(field: "headers", expectation: expectation)
      }
    }
    body = action.body
  }

  /// The headers that a publisher may not set: connection, length and host (RFC 9112).
  private static let reservedHeaders: Set<String> = [
    "host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer",
    "upgrade", "expect", "proxy-authorization", "proxy-connection",
  ]

  private static func fault(ofHeader name: String, _ value: String) -> String? {
    // RFC 9110 §5.6.2: the characters of a token.
    let isToken =
      (1...headerNameBytesMax).contains(name.utf8.count)
      && name.isASCIIAlphanumeric(or: "!#$%&'*+-.^_`|~")
    guard isToken else {
      return "names of at most \(headerNameBytesMax) letters, digits and '-', such as X-Source"
    }
    guard !reservedHeaders.contains(name.lowercased()) else {
      return "no connection headers such as \(name.lowercased())"
    }
    guard value.utf8.count <= headerValueBytesMax,
      value.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
    else {
      return "values of at most \(headerValueBytesMax) bytes of plain ASCII on one line"
    }
    return nil
  }
}
