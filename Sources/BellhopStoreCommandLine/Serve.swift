internal import ArgumentParser
internal import BellhopDialects
internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import Dispatch
internal import Glibc
internal import Logging

struct Serve: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the store.",
    discussion: """
      Prints one line, "ready" and its addresses, when it accepts connections. After SIGTERM or \
      Ctrl-C, it completes open requests and stops. Logs go to standard error, as JSON unless \
      that is a terminal; they contain no tokens and no content.

      Examples:
        bellhopd serve
        bellhopd serve --listen 127.0.0.1:0 --data /srv/bellhop
        bellhopd serve --listen 0.0.0.0:8443 --tls-cert chain.pem --tls-key key.pem
        bellhopd serve --unix /run/bellhop/store.sock --listen 127.0.0.1:8642
        bellhopd serve --database 'postgres://h1,h2/bellhop?target_session_attrs=read-write'
      """)

  @Option(
    help: ArgumentHelp(
      "HOST:PORT to listen on; port 0 is any free one (default: 127.0.0.1:8642, or --unix).",
      valueName: "address"))
  var listen: String?
  @Option(
    help: ArgumentHelp(
      "A socket file to listen on, instead of or in addition to --listen.", valueName: "path"),
    completion: .file())
  var unix: String?
  @Option(
    help: ArgumentHelp(
      "The certificate chain (PEM), which enables TLS for --listen. Reloaded on SIGHUP.",
      valueName: "file"), completion: .file())
  var tlsCert: String?
  @Option(
    help: ArgumentHelp("The certificate's private key (PEM).", valueName: "file"),
    completion: .file())
  var tlsKey: String?
  @OptionGroup var data: DataOptions
  @Option(
    help: "Log level: debug, info, notice, warning or error (default: info).",
    completion: .list(["debug", "info", "notice", "warning", "error"]))
  var logLevel: String?
  @Flag(
    help: ArgumentHelp(
      "Also stop when standard input ends, such as with the program at its other end.",
      visibility: .hidden))
  var untilInputEnds = false

  func perform() async throws {
    // The reader of the ready line may close the pipe afterwards.
    signal(SIGPIPE, SIG_IGN)
    if untilInputEnds { Self.endWithInput() }
    var settings = try data.settings()
    if tlsCert != nil || tlsKey != nil {
      settings.certificate = tlsCert
      settings.privateKey = tlsKey
    }
    let certificates = try certificates(settings)
    let metricsToken = try metricsToken(settings)
    let listeners = try listeners(settings)
    let logger = try logger(settings)
    settings.server.connectionsMax = try connectionsMax(
      settings.server.connectionsMax, listeners.count, logger)
    let place = try data.place()
    umask(0o077)
    let opened = try await place.openForServing(settings, logger: logger)
    let running: RunningServer
    do {
      let server = StoreServer(
        store: opened.service, configuration: settings.server, environment: .live, logger: logger,
        dialects: Dialects.endpoints,
        issuer: try settings.makeIssuer(environment: .live, logger: logger),
        certificates: certificates, metricsToken: metricsToken)
      running = try RunningServer(
        server, on: listeners + place.administrationListeners, stopsOnSignals: true,
        notifier: Self.notifier
      ) { addresses in
        let text = addresses.map(\.description).joined(separator: " ")
        logger.info("ready", metadata: ["addresses": .string(text)])
        for address in addresses where !address.isLocal && !address.isEncrypted {
          logger.warning(
            "Plain HTTP is open to the network: tokens can be intercepted. Use TLS.",
            metadata: ["address": .string(address.description)])
        }
        Output.line("ready " + text)
      }
    } catch {
      await opened.close()
      throw error
    }
    do {
      try await running.run()
    } catch {
      await opened.release()
      throw error
    }
    await opened.release()
    logger.info("stopped")
  }

  /// Ends this process as SIGTERM does when standard input ends.
  private static func endWithInput() {
    DispatchQueue(label: "bellhopd.input").async {
      var byte: UInt8 = 0
      while true {
        let count = read(STDIN_FILENO, &byte, 1)
        if count > 0 || (count < 0 && errno == EINTR) { continue }
        break
      }
      kill(getpid(), SIGTERM)
    }
  }

  /// Returns the listeners. Flags override the file, each kind as a whole.
  private func listeners(_ settings: StoreSettings) throws -> [Listener] {
    let unix = unix ?? (listen == nil ? settings.unix : nil)
    var addresses = listen.map { [$0] } ?? (self.unix == nil ? settings.listen : [])
    if addresses.isEmpty, unix == nil { addresses = ["127.0.0.1:8642"] }
    var listeners = try addresses.map { address in
      guard let listener = Listener(address: address, isEncrypted: settings.certificate != nil)
      else {
        throw ProgramError.usage(
          "--listen is wrong: expected HOST:PORT such as 127.0.0.1:8642 or [::1]:8642.")
      }
      return listener
    }
    if let unix { listeners.append(.unix(path: unix)) }
    return listeners
  }

  private func certificates(_ settings: StoreSettings) throws -> ServerCertificates? {
    switch (settings.certificate, settings.privateKey) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      return try ServerCertificates(
        certificate: certificate, key: key, credentials: Self.credentials)
    case (nil, _?), (_?, nil): throw ProgramError.usage("TLS needs both --tls-cert and --tls-key.")
    }
  }

  /// The folder of the credentials that systemd passes to this service.
  private static var credentials: String? {
    getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
  }

  private func metricsToken(_ settings: StoreSettings) throws -> AccessTokenSecret? {
    guard let path = settings.metricsTokenFile else { return nil }
    try SecretFile.check(path, credentials: Self.credentials)
    let token = try ConfigurationFile.contents(of: path).split(whereSeparator: \.isWhitespace)
    guard token.count == 1, (16...256).contains(token[0].utf8.count) else {
      throw ProgramError(
        exitCode: 78, message: "\(path) must contain one token of 16 to 256 characters.")
    }
    return AccessTokenSecret(String(token[0]))
  }

  /// Returns the requested number of connections, or the number that the limit of open files
  /// allows.
  private func connectionsMax(_ wanted: Int, _ listeners: Int, _ logger: Logger) throws -> Int {
    let limit = OpenFiles.raiseLimit()
    let possible = try OpenFiles.connectionsMax(
      wanted: wanted, listeners: listeners, limit: limit)
    if possible < wanted {
      logger.warning(
        """
        The system allows this program \(limit) open files, so each address serves \(possible) \
        connections, not \(wanted). Raise the hard limit: ulimit -Hn, or LimitNOFILE in its unit.
        """)
    }
    return possible
  }

  private static var notifier: SystemdNotifier? {
    SystemdNotifier(
      variable: { getenv($0).map { String(cString: $0) } }, processID: getpid())
  }

  private func logger(_ settings: StoreSettings) throws -> Logger {
    guard let level = logLevel.map({ Logger.Level(rawValue: $0.lowercased()) }) ?? settings.logLevel
    else {
      throw ProgramError.usage(
        "--log-level is wrong: expected debug, info, notice, warning or error.")
    }
    let isPlain =
      settings.logFormat == .plain
      || (settings.logFormat == .automatic && isatty(STDERR_FILENO) == 1)
    var logger = Logger(label: "bellhopd") { label in
      LineLogHandler(label: label, style: isPlain ? .plain : .json, now: { SystemTime.now })
    }
    logger.logLevel = level
    return logger
  }
}
