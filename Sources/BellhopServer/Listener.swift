internal import BellhopStore
internal import Glibc

/// An address on which a server listens.
package enum Listener: Hashable, Sendable, CustomStringConvertible {
  /// TCP. Port 0 chooses a free port.
  case tcp(host: String, port: Int)
  /// TCP with TLS.
  case tls(host: String, port: Int)
  /// A socket file that only its owner may use.
  case unix(path: String)
  /// The admin socket, which only its owner may use and which the server does not announce.
  case administration(path: String)

  /// `http://127.0.0.1:8642`, `https://…` or `unix:/path`.
  package var description: String {
    func authority(_ host: String, _ port: Int) -> String {
      host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
    return switch self {
    case .tcp(let host, let port): "http://" + authority(host, port)
    case .tls(let host, let port): "https://" + authority(host, port)
    case .unix(let path), .administration(let path): "unix:" + path
    }
  }

  /// Parses `HOST:PORT`, `[HOST]:PORT` or `PORT`. Returns nil for any other text.
  ///
  /// - Parameter isEncrypted: Whether to use TLS. A prefix `http://` or `https://` overrides it.
  package init?(address text: String, isEncrypted: Bool = false) {
    for (scheme, isEncrypted) in [("http://", false), ("https://", true)] {
      guard text.hasPrefix(scheme) else { continue }
      self.init(bare: String(text.dropFirst(scheme.count)), isEncrypted: isEncrypted)
      return
    }
    self.init(bare: text, isEncrypted: isEncrypted)
  }

  private init?(bare text: String, isEncrypted: Bool) {
    func make(_ host: String, _ port: Int) -> Listener {
      isEncrypted ? .tls(host: host, port: port) : .tcp(host: host, port: port)
    }
    if let port = Int(text) {
      guard (0...65_535).contains(port) else { return nil }
      self = make("127.0.0.1", port)
      return
    }
    guard let colon = text.lastIndex(of: ":"),
      let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port)
    else { return nil }
    var host = text[..<colon]
    if host.first == "[", host.last == "]" {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self = make(String(host), port)
  }

  /// The path of the socket file, if any.
  var socketPath: String? {
    switch self {
    case .tcp, .tls: nil
    case .unix(let path), .administration(let path): path
    }
  }

  /// The audience of the listener.
  var audience: StoreServer.Audience {
    if case .administration = self { .administration } else { .everybody }
  }

  /// Whether connections are encrypted.
  package var isEncrypted: Bool { if case .tls = self { true } else { false } }

  /// Whether requests contain a `Host` header. Clients on a Unix socket omit it.
  var hasHost: Bool {
    switch self {
    case .tcp, .tls: true
    case .unix, .administration: false
    }
  }

  /// Whether only programs on this machine can reach the listener.
  package var isLocal: Bool {
    switch self {
    case .unix, .administration: true
    case .tcp(let host, _), .tls(let host, _):
      host.hasPrefix("127.") || host == "::1" || host == "localhost"
    }
  }
}

/// The file of a Unix socket, before and after a server listens on it.
enum SocketFile {
  /// The maximum length of a path in a socket's address, without its terminating zero.
  static let pathBytesMax = 107

  /// Prepares the path of the listener if it has one.
  static func makeRoom(for listener: Listener) throws {
    switch listener {
    case .tcp, .tls: break
    case .unix(let path):
      guard path.utf8.count <= pathBytesMax else {
        throw ServerError.pathTooLong(path: path, bytesMax: pathBytesMax)
      }
      try makeRoom(at: path)
    case .administration(let path): try makeRoom(at: path)
    }
  }

  /// Returns a path to listen on that fits a socket's address.
  ///
  /// Replaces a long path by one through a descriptor of its directory, which stays open until the
  /// process ends.
  static func pathToListen(on path: String) throws -> String {
    if path.utf8.count <= pathBytesMax { return path }
    guard let short = shortPath(path)?.path else {
      throw ServerError.cannotListen("unix:" + path, reason: "its directory cannot be opened")
    }
    return short
  }

  /// Removes a socket at the path, unless a server accepts connections on it.
  ///
  /// - Throws: ``ServerError`` when a server accepts connections, or when the file is not a socket.
  static func makeRoom(at path: String) throws {
    guard let file = FileFacts(path: path, followsLink: false) else { return }
    guard file.isSocket else { throw ServerError.notASocket(path: path) }
    if answers(path) { throw ServerError.socketAnswers(path: path) }
    unlink(path)
  }

  /// Restricts the socket to its owner.
  static func protect(_ path: String) throws {
    guard chmod(path, 0o600) == 0 else {
      throw ServerError.cannotListen("unix:" + path, reason: "its mode cannot be set")
    }
  }

  /// Whether a server accepts connections at the path.
  static func answers(_ path: String) -> Bool {
    guard let descriptor = connect(path) else { return false }
    close(descriptor)
    return true
  }

  /// Connects to the socket at the path. Returns nil when no server accepts the connection.
  static func connect(_ path: String) -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let isConnected = withReachablePath(path) { path in
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
    }
    if isConnected == true { return descriptor }
    close(descriptor)
    return nil
  }

  /// Calls `body` with a path to the same file that fits a socket's address.
  ///
  /// Replaces a long path by one through a descriptor of its directory.
  static func withReachablePath<Result>(_ path: String, _ body: (String) -> Result) -> Result? {
    if path.utf8.count <= pathBytesMax { return body(path) }
    guard let (short, descriptor) = shortPath(path) else { return nil }
    defer { close(descriptor) }
    return body(short)
  }

  /// Returns a short path to the file, which is valid while the descriptor is open.
  static func shortPath(_ path: String) -> (path: String, descriptor: Int32)? {
    guard let slash = path.lastIndex(of: "/") else { return nil }
    let descriptor = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    return ("/proc/self/fd/\(descriptor)" + path[slash...], descriptor)
  }
}
