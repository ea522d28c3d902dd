package import BellhopModel
package import BellhopNetwork
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// One request to a host that an untrusted party named.
package struct OutboundRequest: Sendable {
  package var method: String
  package var url: OutboundURL
  /// The path and query.
  package var target: String
  package var contentType: String?
  /// Additional headers. The caller adds those of the connection and the body itself.
  package var headers: [String: String]
  package var body: [UInt8]
  /// Whether to read the response body. If not, the response ends with its headers.
  package var readsBody: Bool

  package init(
    method: String = "POST", url: OutboundURL, target: String? = nil, contentType: String? = nil,
    headers: [String: String] = [:], body: [UInt8] = [], readsBody: Bool = false
  ) {
    self.method = method
    self.url = url
    self.target = target ?? url.target
    self.contentType = contentType
    self.headers = headers
    self.body = body
    self.readsBody = readsBody
  }
}

/// The response of a host.
package struct OutboundResponse: Hashable, Sendable {
  package var status: Int
  package var contentType: String?
  package var retryAfter: String?
  package var body: [UInt8] = []
}

/// The reason why a request has no response.
package enum OutboundError: Error, Hashable {
  /// The rules allow none of the host's addresses.
  case refusedAddress(AddressKind)
  /// No connection, or no TLS on it. Nothing was sent.
  case unconnected(NetworkError)
  case tooSlow
  case tooLarge
  /// The response was cut off or is not HTTP. The host may have received the request.
  case brokenAnswer(NetworkError)
  /// The program is ending, or the caller cancelled.
  case cancelled
}

/// The rules for requests to untrusted hosts: permitted networks, trust and limits.
package struct OutboundRules: Sendable {
  /// Non-public networks whose hosts are permitted.
  package var allowedNetworks: [IPNetwork]
  /// Whether plain HTTP is limited to this machine, whatever the URL contains.
  package var keepsPlainHere: Bool
  /// A file of certificates (PEM) to trust in addition to the system's.
  package var trustFile: String?
  /// The total time limit, from the name lookup to the end of the response.
  package var answerTimeout: Duration
  /// The maximum size of a response, including headers. A larger one fails.
  package var answerBytesMax: Int

  package init(
    allowedNetworks: [IPNetwork] = [], keepsPlainHere: Bool = false, trustFile: String? = nil,
    answerTimeout: Duration, answerBytesMax: Int
  ) {
    self.allowedNetworks = allowedNetworks
    self.keepsPlainHere = keepsPlainHere
    self.trustFile = trustFile
    self.answerTimeout = answerTimeout
    self.answerBytesMax = answerBytesMax
  }

  /// Whether the rules permit a request for `url` to `address`.
  func permit(_ address: IPAddress, for url: OutboundURL) -> Bool {
    if keepsPlainHere, !url.isSecure, AddressKind(address) != .loopback { return false }
    return AddressKind.permits(address, allowing: allowedNetworks)
  }
}

/// A guarded HTTP client for hosts that untrusted parties name.
///
/// Follows no redirects, uses no proxies, sends no cookies or credentials, and keeps no connection
/// open.
///
/// Resolves a host's name once for each request and connects to an address that was checked. A name
/// that resolves to another address a moment later changes nothing (SECURITY-6). TLS and the `Host`
/// header keep the name.
package final class GuardedHTTPClient: Sendable {
  private let rules: OutboundRules
  private let userAgent: String
  private let sleep: @Sendable (Duration) async throws -> Void
  private let resolve: @Sendable (_ host: String, _ owner: Int64) async throws -> [IPAddress]
  private let tls = Mutex<NIOSSLContext?>(nil)

  /// - Parameters:
  ///   - sleep: Waits for a duration; throws when the task is cancelled.
  ///   - resolve: Returns the addresses of a host; none for an unknown one. Defaults to the
  ///     system's resolver.
  package init(
    _ rules: OutboundRules, userAgent: String,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    resolve: (@Sendable (_ host: String, _ owner: Int64) async throws -> [IPAddress])? = nil
  ) {
    self.rules = rules
    self.userAgent = userAgent
    self.sleep = sleep
    let lookup = NameLookup()
    self.resolve = resolve ?? { try await lookup.addresses(of: $0, for: $1) }
  }

  /// Sends the request and reads the response within the time limit.
  ///
  /// - Parameter owner: The user who named the host. An owner's names are resolved one after
  ///   another; a request whose turn does not come in time fails as too slow.
  package func call(
    _ request: OutboundRequest, for owner: Int64 = 0
  ) async throws(OutboundError) -> OutboundResponse {
    do {
      return try await withThrowingTaskGroup(of: OutboundResponse.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await self.send(request, for: owner) }
        group.addTask { [sleep, rules] in
          try await sleep(rules.answerTimeout)
          throw OutboundError.tooSlow
        }
        guard let answer = try await group.next() else { throw OutboundError.cancelled }
        return answer
      }
    } catch let failure as OutboundError {
      throw failure
    } catch is CancellationError {
      throw .cancelled
    } catch {
      let failure = NetworkError(
        error, at: request.url.peer, authorityFile: rules.trustFile)
      throw failure.isAboutTLS ? .unconnected(failure) : .brokenAnswer(failure)
    }
  }

  /// The maximum number of addresses to try for one name.
  private static let addressesMax = 3
  /// A limit for one connection, which leaves time to try a second address.
  private static let connectTimeout = TimeAmount.seconds(4)

  private func send(
    _ request: OutboundRequest, for owner: Int64
  ) async throws -> OutboundResponse {
    let found = try await resolve(request.url.host, owner)
    guard let first = found.first else {
      throw OutboundError.unconnected(.unknownHost(request.url.host))
    }
    let permitted = found.filter { rules.permit($0, for: request.url) }
    guard !permitted.isEmpty else { throw OutboundError.refusedAddress(AddressKind(first)) }
    let context = request.url.isSecure ? try context() : nil
    var failure = NetworkError.noRoute(request.url.peer)
    for address in permitted.prefix(Self.addressesMax) {
      try Task.checkCancellation()
      switch try await exchange(request, with: address, context) {
      case .success(let answer): return answer
      case .failure(let error): failure = error
      }
    }
    throw OutboundError.unconnected(failure)
  }

  /// Returns the response from one address, or the reason why it cannot be connected to.
  private func exchange(
    _ request: OutboundRequest, with address: IPAddress, _ context: NIOSSLContext?
  ) async throws -> Result<OutboundResponse, NetworkError> {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let promise = loop.makePromise(of: OutboundResponse.self)
    let head = head(of: request)
    let bytesMax = rules.answerBytesMax
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(Self.connectTimeout)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let context {
            try pipeline.addHandler(
              NIOSSLClientHandler(context: context, serverHostname: request.url.serverName))
          }
          try pipeline.addHandler(AnswerCap(bytesMax: bytesMax, promise: promise))
          try pipeline.addHTTPClientHandlers()
          try pipeline.addHandler(AnswerReader(request, head: head, promise: promise))
        }
      }
    let channel: any Channel
    do {
      let place = try SocketAddress(ipAddress: address.description, port: request.url.port)
      channel = try await bootstrap.connect(to: place).get()
    } catch {
      let failure = NetworkError(error, at: request.url.peer)
      promise.fail(failure)
      return .failure(failure)
    }
    return try await withTaskCancellationHandler {
      .success(try await promise.futureResult.get())
    } onCancel: {
      channel.close(promise: nil)
    }
  }

  private func head(of request: OutboundRequest) -> HTTPRequestHead {
    var headers: HTTPHeaders = [
      "Host": request.url.authority, "User-Agent": userAgent, "Accept": "*/*",
      "Connection": "close",
    ]
    if let type = request.contentType { headers.add(name: "Content-Type", value: type) }
    if !request.body.isEmpty || !["GET", "HEAD"].contains(request.method) {
      headers.add(name: "Content-Length", value: String(request.body.count))
    }
    for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) {
      headers.replaceOrAdd(name: name, value: value)
    }
    return HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: request.method), uri: request.target,
      headers: headers)
  }

  /// Returns the TLS context, which is built once: reading the system's certificates is slow.
  private func context() throws -> NIOSSLContext {
    try tls.withLock { known in
      if let known { return known }
      var settings = TLSConfiguration.makeClientConfiguration()
      settings.minimumTLSVersion = .tlsv12
      settings.applicationProtocols = ["http/1.1"]
      if let file = rules.trustFile { settings.additionalTrustRoots = [.file(file)] }
      let made = try NIOSSLContext(configuration: settings)
      known = made
      return made
    }
  }

  /// Whether the rules' certificate file, if any, can be read.
  package var canTrust: Bool {
    if rules.trustFile == nil { return true }
    do { _ = try context() } catch { return false }
    return true
  }
}

/// A handler that closes a connection beyond the response limit, before any parsing.
private final class AnswerCap: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private var bytesLeft: Int
  private let promise: EventLoopPromise<OutboundResponse>

  init(bytesMax: Int, promise: EventLoopPromise<OutboundResponse>) {
    bytesLeft = bytesMax
    self.promise = promise
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    bytesLeft -= unwrapInboundIn(data).readableBytes
    guard bytesLeft >= 0 else {
      promise.fail(OutboundError.tooLarge)
      return context.close(promise: nil)
    }
    context.fireChannelRead(data)
  }
}

/// A handler that sends one request and reads its response.
private final class AnswerReader: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let request: OutboundRequest
  private let head: HTTPRequestHead
  private let promise: EventLoopPromise<OutboundResponse>
  private var answer: OutboundResponse?

  init(
    _ request: OutboundRequest, head: HTTPRequestHead, promise: EventLoopPromise<OutboundResponse>
  ) {
    self.request = request
    self.head = head
    self.promise = promise
  }

  func channelActive(context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !request.body.isEmpty {
      let body = context.channel.allocator.buffer(bytes: request.body)
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      answer = OutboundResponse(
        status: Int(head.status.code), contentType: head.headers.first(name: "Content-Type"),
        retryAfter: head.headers.first(name: "Retry-After"))
      if !request.readsBody { finish(context) }
    case .body(let bytes): answer?.body += bytes.readableBytesView
    case .end: finish(context)
    }
  }

  private func finish(_ context: ChannelHandlerContext) {
    if let answer { promise.succeed(answer) }
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    promise.fail(OutboundError.brokenAnswer(.closed(request.url.peer)))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let failure = NetworkError(error, at: request.url.peer)
    if case NIOSSLError.uncleanShutdown = error {
      // A peer that closes without TLS's `close_notify` cannot have tampered with what came before.
      // An incomplete response fails in ``channelInactive(context:)``.
    } else if failure.isAboutTLS {
      promise.fail(OutboundError.unconnected(failure))
    } else {
      promise.fail(OutboundError.brokenAnswer(failure))
    }
    context.close(promise: nil)
  }
}

extension OutboundURL {
  /// The URL's peer, for error messages.
  fileprivate var peer: NetworkPeer { .port(port, host: host, isEncrypted: isSecure) }
}
