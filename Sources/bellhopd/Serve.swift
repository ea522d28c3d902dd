internal import ArgumentParser
internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import Glibc
internal import Logging

struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the store.",
    discussion: """
      When it accepts connections it prints one line, "ready" and its addresses. SIGTERM and \
      Ctrl-C let requests under way finish. Logs go to standard error, as JSON when that is no \
      terminal; they hold no tokens and no content.

      Examples:
        bellhopd serve
        bellhopd serve --listen 127.0.0.1:0 --data /srv/bellhop
        bellhopd serve --unix /run/bellhop/store.sock --listen 127.0.0.1:8642
      """)

  @Option(
    help: ArgumentHelp(
      "HOST:PORT to listen on; port 0 is a free one. Else 127.0.0.1:8642, unless --unix is given.",
      valueName: "address"))
  var listen: String?
  @Option(
    help: ArgumentHelp("Also, or instead, listen on this socket file.", valueName: "path"))
  var unix: String?
  @OptionGroup var data: DataOptions
  @Option(help: "How much to log: debug, info, notice, warning or error. Else info.")
  var logLevel: String?

  func run() async throws {
    try await Complaint.reporting { try await serve() }
  }

  private func serve() async throws {
    // Whoever reads the ready line may close the pipe afterwards.
    signal(SIGPIPE, SIG_IGN)
    umask(0o077)
    let settings = try data.settings()
    let listeners = try listeners(settings)
    let logger = try logger(settings)
    let directory = try data.directory()
    try directory.lockForServing()
    let store = try await directory.open(.starting, limits: settings.limits)
    let running: RunningServer
    do {
      let server = StoreServer(
        store: store, configuration: settings.server, environment: .live, logger: logger,
        issuer: try settings.makeIssuer(environment: .live, logger: logger))
      running = try RunningServer(
        server, on: listeners + [.administration(path: AdminSocket.path(in: directory.path))],
        stopsOnSignals: true
      ) { addresses in
        let text = addresses.map(\.description).joined(separator: " ")
        logger.info("ready", metadata: ["addresses": .string(text)])
        for address in addresses where !address.isLocal {
          logger.warning(
            "Plain HTTP beyond this machine: tokens can be read on the way. Put TLS before it.",
            metadata: ["address": .string(address.description)])
        }
        Output.line("ready " + text)
      }
    } catch {
      await store.close()
      throw error
    }
    try await running.run()
    logger.info("stopped")
  }

  /// Flags win over the file, each kind as a whole.
  private func listeners(_ settings: StoreSettings) throws -> [Listener] {
    let unix = unix ?? (listen == nil ? settings.unix : nil)
    var addresses = listen.map { [$0] } ?? (self.unix == nil ? settings.listen : [])
    if addresses.isEmpty, unix == nil { addresses = ["127.0.0.1:8642"] }
    var listeners = try addresses.map { address in
      guard let listener = Listener(address: address) else {
        throw Complaint.usage(
          "--listen is wrong: expected HOST:PORT such as 127.0.0.1:8642 or [::1]:8642.")
      }
      return listener
    }
    if let unix { listeners.append(.unix(path: unix)) }
    return listeners
  }

  private func logger(_ settings: StoreSettings) throws -> Logger {
    guard let level = logLevel.map({ Logger.Level(rawValue: $0.lowercased()) }) ?? settings.logLevel
    else {
      throw Complaint.usage(
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
