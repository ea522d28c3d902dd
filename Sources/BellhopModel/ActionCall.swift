/// The HTTP request that an action makes: to where it says, as it says, and in a form that can't be
/// taken for another request. Whether it may go there is for whoever makes it to judge.
public struct ActionCall: Hashable, Sendable {
  public let method: String
  public let url: OutboundURL
  public let headers: [String: String]
  /// Of an `http` action; a reply's is what the person typed.
  public let body: String?

  /// What is wrong with an action's request.
  public struct Fault: Error, Hashable {
    /// The action's member.
    public var field: String
    /// Completes "expected".
    public var expectation: String
  }

  public static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
  /// More than any interface asks for.
  public static let headersMax = 16
  static let headerNameBytesMax = 64
  /// Room for a signed token.
  static let headerValueBytesMax = 2048

  /// The request of an action that makes one, by its ``ContentExtras/Action/url``.
  public init(_ action: ContentExtras.Action) throws(Fault) {
    method = action.method ?? "POST"
    guard Self.methods.contains(method) else {
      throw Fault(field: "method", expectation: "one of " + Self.methods.joined(separator: ", "))
    }
    do throws(OutboundURL.Fault) {
      // Where plain HTTP goes to is known only to the machine that it is called from.
      url = try OutboundURL(action.url ?? "", OutboundURL.Rules(allowsPlain: true))
    } catch {
      throw Fault(field: "url", expectation: error.expectation)
    }
    headers = action.headers ?? [:]
    guard headers.count <= Self.headersMax else {
      throw Fault(field: "headers", expectation: "at most \(Self.headersMax) headers")
    }
    for (name, value) in headers {
      if let expectation = Self.fault(ofHeader: name, value) {
        throw Fault(field: "headers", expectation: expectation)
      }
    }
    body = action.body
  }

  /// What the connection, the length and the host are is not the publisher's to say (RFC 9112).
  private static let reservedHeaders: Set<String> = [
    "host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer",
    "upgrade", "expect", "proxy-authorization", "proxy-connection",
  ]

  private static func fault(ofHeader name: String, _ value: String) -> String? {
    // RFC 9110 §5.6.2: the characters of a token.
    let isToken =
      (1...headerNameBytesMax).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)  // open: UInt8
        }
      }
    guard isToken else {
      return "names of headers of at most \(headerNameBytesMax) letters, digits and '-'"
    }
    guard !reservedHeaders.contains(name.lowercased()) else {
      return "other headers than those of the connection, as \(name.lowercased())"
    }
    guard value.utf8.count <= headerValueBytesMax,
      value.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
    else {
      return "values of headers of at most \(headerValueBytesMax) bytes of plain ASCII on one line"
    }
    return nil
  }
}
