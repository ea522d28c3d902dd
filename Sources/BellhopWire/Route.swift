package import BellhopModel

/// An address of the store's HTTP interface, which both client and server use.
package enum Route: Hashable, Sendable {
  /// The user's items: publish (POST) and list (GET).
  case notifications
  /// One item: GET, PATCH, DELETE.
  case notification(NotificationID)
  /// The answer to an item, for its publisher, who waits up to the given seconds.
  case response(NotificationID, wait: Int)
  /// The first page of a first synchronisation.
  case delta
  /// The changes since a token.
  case deltaSince(DeltaToken)
  /// The next page of a first synchronisation or of a delta. The text is opaque to the client.
  case deltaPage(String)
  /// The signal stream, whose signals include the changes if they are small.
  case signal
  /// The items that will be delivered: list (GET), cancel (DELETE).
  case requests
  /// The user's devices: register (POST) and list (GET).
  case devices
  /// One device: GET, PATCH, DELETE.
  case device(DeviceID)
  /// A device's outbox (POST).
  case operations(DeviceID)
  /// A device that waits to be signed in, by its user code: GET, and POST to decide.
  case deviceGrant(String)
  /// The device authorization endpoint (POST a form, RFC 8628 §3.1); needs no token.
  case deviceAuthorization
  /// The token endpoint (POST a form, RFC 6749 §3.2); needs no token.
  case token
  /// The page that explains how to approve a device; the text is the user code.
  case signInPage(code: String?)
  /// The store's authorization server metadata (RFC 8414 §3).
  case authorizationServer
  /// The user's access tokens: create (POST) and list (GET).
  case accessTokens
  /// One access token by its id: GET, DELETE.
  case accessToken(String)
  /// The user's subscriptions: subscribe (POST) and list (GET).
  case subscriptions
  /// One subscription: GET, PATCH, DELETE.
  case subscription(SubscriptionID)
  /// Uploads of files that a publication then refers to (POST).
  case attachments
  /// The user's apps with their settings (GET).
  case apps
  /// One app's settings: GET, PATCH.
  case app(String)
  /// The categories that an app has registered (GET).
  case categories(app: String)
  /// One category of an app: GET, PUT, DELETE.
  case category(String, app: String)
  /// The store's readiness; needs no token.
  case health
  /// The metadata for signing in; needs no token.
  case resourceMetadata
  /// A topic of the ntfy dialect: plain publish.
  case topic(String)

  /// The first path segments of the native resources. Links use the first one.
  package static let versions = ["v1.0", "beta"]

  /// The first path segments that are never topics.
  package static let reservedTopics: Set<String> = [
    "v1", "v1.0", "beta", "me", "users", "health", "metrics", "message", "version",
    "application", "client", "current", "stream", "oauth", "hooks", "notify", "openapi", "docs",
    "file", "static", "account", "settings", "login", "signup", "app",
    "admin",
  ]

  /// The path with its query, percent-encoded: the part of a URL after the authority.
  package var path: String {
    let version = "/" + Self.versions[0]
    let root = version + "/me"
    switch self {
    case .notifications: return root + "/notifications"
    case .notification(let id): return root + "/notifications/\(id)"
    case .response(let id, let wait):
      return root + "/notifications/\(id)/response?wait=\(wait)"
    case .delta: return root + "/notifications/delta"
    case .deltaSince(let token):
      return root + "/notifications/delta?$deltatoken=" + Self.escaped(token.rawValue)
    case .deltaPage(let page):
      return root + "/notifications/delta?$skiptoken=" + Self.escaped(page)
    case .signal: return root + "/notifications/signal?includeResourceData=true"
    case .requests: return root + "/requests"
    case .devices: return root + "/devices"
    case .device(let id): return root + "/devices/" + Self.escaped(id.rawValue)
    case .operations(let id):
      return root + "/devices/" + Self.escaped(id.rawValue) + "/operations"
    case .accessTokens: return root + "/tokens"
    case .accessToken(let id): return root + "/tokens/" + Self.escaped(id)
    case .deviceGrant(let code): return root + "/deviceGrants/" + Self.escaped(code)
    case .deviceAuthorization: return "/oauth/device_authorization"
    case .token: return "/oauth/token"
    case .signInPage(let code):
      return "/oauth/device" + (code.map { "?user_code=" + Self.escaped($0) } ?? "")
    case .authorizationServer: return "/.well-known/oauth-authorization-server"
    case .subscriptions: return version + "/subscriptions"
    case .subscription(let id): return version + "/subscriptions/\(id)"
    case .attachments: return root + "/attachments"
    case .apps: return root + "/apps"
    case .app(let app): return root + "/apps/" + Self.escaped(app)
    case .categories(let app): return Route.app(app).path + "/categories"
    case .category(let id, let app):
      return Route.categories(app: app).path + "/" + Self.escaped(id)
    case .health: return "/health"
    case .resourceMetadata: return "/.well-known/oauth-protected-resource"
    case .topic(let topic): return "/" + Self.escaped(topic)
    }
  }

  /// Replaces every octet outside RFC 3986's unreserved set with `%XX`.
  package static func escaped(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
      if byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Decodes `%XX` escapes. Returns nil when an escape is invalid or the result is not UTF-8.
  package static func unescaped(_ text: some StringProtocol) -> String? {
    var result: [UInt8] = []
    var bytes = text.utf8.makeIterator()
    while let byte = bytes.next() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard let high = bytes.next().flatMap(hexValue), let low = bytes.next().flatMap(hexValue)
      else { return nil }
      result.append(high << 4 | low)
    }
    return String(validating: result, as: UTF8.self)
  }

  /// Returns the decoded value of a query parameter in a link; nil when it is missing.
  static func parameter(_ name: String, of link: String) -> String? {
    guard let question = link.firstIndex(of: "?") else { return nil }
    for pair in link[link.index(after: question)...].split(separator: "&") {
      guard let equals = pair.firstIndex(of: "="),
        unescaped(pair[..<equals]) == name
      else { continue }
      return unescaped(pair[pair.index(after: equals)...])
    }
    return nil
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil  // open: UInt8
    }
  }
}
