import BellhopTestSupport
import FoundationEssentials
import Glibc
import Synchronization

/// A real identity provider: Debian's glewlwyd, over TLS and on its own database.
///
/// It has one client and two people, of whom the store knows one.
final class Glewlwyd: Sendable {
  /// A person with an account at the provider.
  enum Person: String, CaseIterable {
    case alice
    case mallory
    var password: String { rawValue + "'s password" }
  }

  static let scope = "bellhop.device"
  static let client = "bellhop"
  private static let program = "/usr/bin/glewlwyd"
  private static let tables = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"

  /// Whether it is installed; CI requires it.
  static let isInstalled =
    access(program, X_OK) == 0 && access(tables, R_OK) == 0 || getenv("BELLHOP_CI") != nil

  private let folder: String
  private let port: Int
  private let authority: TestAuthority
  private let resource: String
  private let tokenSeconds: Int
  private let child: Child
  private let keyCount = Mutex(0)

  /// The address that is the `iss` of its tokens.
  var issuer: String { api + "/oidc" }
  private var api: String { "https://localhost:\(port)/api" }

  /// Starts the provider.
  ///
  /// - Parameters:
  /// - resource: The store's address, for which tokens are requested.
  /// - tokenSeconds: The lifetime of an access token.
  init(
    folder: String, authority: TestAuthority, resource: String, tokenSeconds: Int
  ) async throws {
    self.folder = folder
    self.authority = authority
    self.resource = resource
    self.tokenSeconds = tokenSeconds
    try FileManager.default.createDirectory(
      atPath: folder + "/none", withIntermediateDirectories: true)
    let tls = try await authority.issue("provider", for: "localhost")
    let database = try Child(
      "/usr/bin/sqlite3", [folder + "/glewlwyd.db", ".read " + Self.tables],
      environment: ["PATH": "/usr/bin:/bin"], directory: folder, folder: folder + "/output")
    guard try await database.waitForEnd() == .exited(0) else {
      throw NotSeen("glewlwyd's database", seen: database.errors)
    }
    // Chosen late, because another program may take it meanwhile.
    port = try freePort()
    try Data(Self.configuration(port: port, folder: folder, tls).utf8)
      .write(to: URL(filePath: folder + "/glewlwyd.conf"))
    child = try Child(
      Self.program, ["--config-file", folder + "/glewlwyd.conf"],
      environment: ["PATH": "/usr/bin:/bin"], directory: folder, folder: folder + "/output")
    do {
      try await eventually("glewlwyd") {
        if let ending = child.endingIfEnded {
          throw NotSeen("glewlwyd that runs", seen: "\(ending)\n\(child.output)\(child.errors)")
        }
        return try await call("GET", "/", as: "absent").status != 0
      }
      try await setUp()
    } catch {
      await child.end()
      throw error
    }
  }

  func end() async { await child.end() }

  /// Simulates an outage.
  func stop() { child.signal(SIGSTOP) }
  func goOn() { child.signal(SIGCONT) }

  // MARK: - People

  /// Signs the person in with a browser and enters the code.
  func approve(_ code: String, as person: Person = .alice) async throws {
    let name = person.rawValue
    try await signIn(person)
    try await succeed(
      "PUT", "/auth/grant/" + Self.client, as: name,
      json: #"{"scope": "openid \#(Self.scope)"}"#)
    let answer = try await call("GET", "/oidc/device?code=\(code)&g_continue", as: name)
    guard answer.status == 302, answer.head.contains("prompt=deviceComplete") else {
      throw NotSeen("an approved code", seen: "\(answer.status) \(answer.head) \(answer.body)")
    }
  }

  /// The valid refresh tokens of a person.
  func sessions(of person: Person = .alice) async throws -> [String] {
    struct Entry: Decodable {
      let enabled: Bool
      let hash: String
      enum CodingKeys: String, CodingKey {
        case enabled
        case hash = "token_hash"
      }
    }
    try await signIn(person)
    let answer = try await call("GET", "/oidc/token?limit=1000", as: person.rawValue)
    return try JSONDecoder().decode([Entry].self, from: Data(answer.body.utf8))
      .filter(\.enabled).map(\.hash)
  }

  /// Ends all sessions of a person on the provider's pages.
  ///
  /// A token that a device renews at this moment can no longer be ended; the one that replaces it
  /// is.
  func endSessions(of person: Person = .alice) async throws {
    var held = try await sessions(of: person)
    while let session = held.first {
      let path = session.replacing("{", with: "%7B").replacing("}", with: "%7D")
      let answer = try await call("DELETE", "/oidc/token/" + path, as: person.rawValue)
      held = try await sessions(of: person)
      guard answer.status == 200 || !held.contains(session) else {
        throw NotSeen("the end of session \(session)", seen: "\(answer.status) \(answer.body)")
      }
    }
  }

  private func signIn(_ person: Person) async throws {
    try await succeed(
      "POST", "/auth/", as: person.rawValue,
      json: #"{"username": "\#(person.rawValue)", "password": "\#(person.password)"}"#)
  }

  // MARK: - Administration

  private func setUp() async throws {
    try await succeed(
      "POST", "/auth/", as: "admin",
      json: #"{"username": "admin", "password": "password"}"#)
    try await succeed(
      "POST", "/scope/", as: "admin",
      json: #"{"name": "\#(Self.scope)", "display_name": "Bellhop", "password_required": true}"#)
    try await succeed("POST", "/mod/plugin/", as: "admin", json: try await plugin())
    for person in Person.allCases {
      let (name, password) = (person.rawValue, person.password)
      try await succeed(
        "POST", "/user/", as: "admin",
        json: """
          {"username": "\(name)", "name": "\(name)", "password": "\(password)", "enabled": true,
          "scope": ["openid", "\(Self.scope)"]}
          """)
    }
    try await succeed(
      "POST", "/client/", as: "admin",
      json: """
        {"client_id": "\(Self.client)", "name": "Bellhop", "confidential": false, "enabled": true,
        "authorization_type": ["device_authorization", "refresh_token"], "scope": [],
        "redirect_uri": []}
        """)
  }

  /// Signs with a new key from now on; the old one is not published any more.
  func rotateKey() async throws {
    try await succeed("PUT", "/mod/plugin/oidc", as: "admin", json: try await plugin())
    try await succeed("PUT", "/mod/plugin/oidc/reset", as: "admin")
  }

  /// The plugin that signs devices in, with a new key.
  private func plugin() async throws -> String {
    let number = keyCount.withLock { count in
      count += 1
      return count
    }
    let (key, publicKey) = ("\(folder)/key-\(number).pem", "\(folder)/key-\(number)-public.pem")
    try await authority.run(
      "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key)
    try await authority.run("pkey", "-in", key, "-pubout", "-out", publicKey)
    func text(_ path: String) throws -> String {
      String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        .replacing("\n", with: "\\n")
    }
    return """
      {"module": "oidc", "name": "oidc", "display_name": "Sign-in", "parameters": {
      "iss": "\(issuer)", "jwt-type": "ecdsa", "jwt-key-size": "256", "key": "\(try text(key))",
      "cert": "\(try text(publicKey))", "access-token-duration": \(tokenSeconds),
      "refresh-token-duration": 86400, "code-duration": 600, "refresh-token-rolling": true,
      "refresh-token-one-use": "always", "client-refresh-token-one-use-parameter": "",
      "allow-non-oidc": true, "auth-type-code-enabled": true, "auth-type-token-enabled": false,
      "auth-type-id-token-enabled": true, "auth-type-password-enabled": false,
      "auth-type-client-enabled": false, "auth-type-device-enabled": true,
      "auth-type-refresh-enabled": true, "jwks-show": true, "subject-type": "public",
      "device-authorization-expiration": 600, "device-authorization-interval": 1,
      "session-management-allowed": false, "additional-parameters": [{"user-parameter":
      "username", "token-parameter": "username", "token-changed": false}], "claims": [],
      "service-documentation": "https://example.com", "op-policy-uri": "", "op-tos-uri": "",
      "secret-type": "pairwise", "address-claim": {"type": "no"}, "name-claim": "no",
      "email-claim": "no", "scope-claim": "no", "allowed-scope": ["openid", "\(Self.scope)"],
      "pkce-allowed": false, "request-parameter-allow": false,
      "introspection-revocation-allowed": false, "register-client-allowed": false,
      "encrypt-out-token-allow": false, "resource-allowed": true,
      "resource-scope": {"\(Self.scope)": ["\(resource)"]}, "resource-client-property": "",
      "resource-scope-and-client-property": false, "scope": []}}
      """
  }

  private static func configuration(
    port: Int, folder: String, _ tls: (certificate: String, key: String)
  ) -> String {
    """
    port=\(port)
    bind_address="127.0.0.1"
    external_url="https://localhost:\(port)"
    login_url="login.html"
    api_prefix="api"
    static_files_path="\(folder)/none"
    log_mode="console"
    log_level="WARNING"
    cookie_domain="localhost"
    cookie_secure=1
    session_expiration=3600
    session_key="GLEWLWYD2_SESSION_ID"
    admin_scope="g_admin"
    profile_scope="g_profile"
    user_module_path="/usr/lib/glewlwyd/user"
    user_middleware_module_path="\(folder)/none"
    client_module_path="/usr/lib/glewlwyd/client"
    user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
    plugin_module_path="/usr/lib/glewlwyd/plugin"
    use_secure_connection=true
    secure_connection_key_file="\(tls.key)"
    secure_connection_pem_file="\(tls.certificate)"
    hash_algorithm="SHA512"
    database = { type = "sqlite3"; path = "\(folder)/glewlwyd.db"; };
    """
  }

  // MARK: - Requests

  private struct Answer {
    /// 0 without an answer.
    let status: Int
    let head: String
    let body: String
  }

  private func succeed(
    _ method: String, _ path: String, as name: String, json: String? = nil
  ) async throws {
    let answer = try await call(method, path, as: name, json: json)
    guard answer.status == 200 else {
      throw NotSeen(
        "success of \(method) \(path)",
        seen: "\(answer.status) \(answer.body)\n\(child.output)\(child.errors)")
    }
  }

  /// Sends a browser's request; each name has its own cookies.
  private func call(
    _ method: String, _ path: String, as name: String, json: String? = nil
  ) async throws -> Answer {
    let jar = folder + "/cookies-" + name
    var arguments = [
      "--silent", "--max-time", "30", "--include", "--globoff", "--request", method, "--cookie",
      jar, "--cookie-jar", jar, "--cacert", authority.certificate,
    ]
    if json != nil {
      arguments += ["--header", "Content-Type: application/json", "--data-binary", "@-"]
    }
    let curl = try Child(
      Programs.curl, arguments + [api + path], environment: ["PATH": "/usr/bin:/bin"],
      directory: folder, folder: folder + "/output", input: json)
    _ = try await curl.waitForEnd()
    let text = curl.output.replacing("\r\n", with: "\n")
    let parts = text.split(separator: "\n\n", maxSplits: 1)
    let head = parts.first.map(String.init) ?? ""
    return Answer(
      status: head.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix(3)) } ?? 0,
      head: head, body: parts.count > 1 ? String(parts[1]) : "")
  }
}

/// A port on which no program listens at the moment.
func freePort() throws -> Int {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
    }
  }
  guard isBound else { throw NotSeen("a free port", seen: systemMessage(errno)) }
  return Int(UInt16(bigEndian: address.sin_port))
}
