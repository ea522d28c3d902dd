internal import BellhopStore
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// One request to a hook.
struct HookRequest: Sendable {
  var url: HookURL
  /// Path and query.
  var target: String
  var contentType: String
  var body: [UInt8] = []
  /// Whether the answer's body is wanted; else the answer ends with its headers.
  var readsBody = false
}

/// What a hook answered.
struct HookAnswer: Hashable, Sendable {
  var status: Int
  var contentType: String?
  var retryAfter: String?
  var body: [UInt8] = []
}

/// Why a hook gave no answer.
enum HookFailure: Error, Hashable {
  case unknownHost
  /// All addresses of its name are of kinds that the configuration does not allow.
  case refusedAddress(AddressKind)
  case unreachable
  /// TLS failed: the certificate, the version.
  case insecure
  case tooSlow
  case tooLarge
  case brokenAnswer
  /// The server is shutting down, or the caller went away.
  case cancelled
}

/// Calls hooks, and nothing else: no redirects, no proxies, no cookies, no connection kept.
///
/// A host's name is looked up once for each request, and the connection goes to an address that was
/// checked, so that a name that means another address a moment later changes nothing (SECURITY rule
/// 6). TLS and the `Host` header keep the name.
final class HookCaller: Sendable {
  private let configuration: HookConfiguration
  private let environment: ServerEnvironment
  private let userAgent: String
  private let tls = Mutex<NIOSSLContext?>(nil)

  init(_ configuration: ServerConfiguration, _ environment: ServerEnvironment) {
    self.configuration = configuration.hooks
    self.environment = environment
    userAgent = "bellhopd/\(configuration.version)"
  }

  /// Sends the request and reads the answer, within the time that a hook has.
  func call(_ request: HookRequest) async throws(HookFailure) -> HookAnswer {
    do {
      return try await withThrowingTaskGroup(of: HookAnswer.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await self.send(request) }
        group.addTask { [environment, configuration] in
          try await environment.sleep(configuration.answerTimeout)
          throw HookFailure.tooSlow
        }
        guard let answer = try await group.next() else { throw HookFailure.cancelled }
        return answer
      }
    } catch let failure as HookFailure {
      throw failure
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .brokenAnswer
    }
  }

  /// Addresses of one name that are tried.
  private static let addressesMax = 3
  /// So that a second address has its chance within the time that a hook has.
  private static let connectTimeout = TimeAmount.seconds(4)

  private func send(_ request: HookRequest) async throws -> HookAnswer {
    let found = try await environment.resolve(request.url.host)
    guard let first = found.first else { throw HookFailure.unknownHost }
    let permitted = found.filter {
      AddressKind.permits($0, allowing: configuration.allowedNetworks)
    }
    guard !permitted.isEmpty else { throw HookFailure.refusedAddress(AddressKind(first)) }
    let context = request.url.isSecure ? try context() : nil
    for address in permitted.prefix(Self.addressesMax) {
      try Task.checkCancellation()
      if let answer = try await exchange(request, with: address, context) { return answer }
    }
    throw HookFailure.unreachable
  }

  /// The answer from one address; nil when it can't be connected to.
  private func exchange(
    _ request: HookRequest, with address: IPAddress, _ context: NIOSSLContext?
  ) async throws -> HookAnswer? {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let promise = loop.makePromise(of: HookAnswer.self)
    let head = head(of: request)
    let bytesMax = configuration.answerBytesMax
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
      promise.fail(HookFailure.unreachable)
      return nil
    }
    return try await withTaskCancellationHandler {
      try await promise.futureResult.get()
    } onCancel: {
      channel.close(promise: nil)
    }
  }

  private func head(of request: HookRequest) -> HTTPRequestHead {
    HTTPRequestHead(
      version: .http1_1, method: .POST, uri: request.target,
      headers: [
        "Host": request.url.authority, "User-Agent": userAgent,
        "Content-Type": request.contentType, "Content-Length": String(request.body.count),
        "Accept": "*/*", "Connection": "close",
      ])
  }

  /// What TLS trusts; made once, because reading the system's certificates takes a while.
  private func context() throws -> NIOSSLContext {
    try tls.withLock { known in
      if let known { return known }
      var settings = TLSConfiguration.makeClientConfiguration()
      settings.minimumTLSVersion = .tlsv12
      settings.applicationProtocols = ["http/1.1"]
      if let file = configuration.trustFile { settings.additionalTrustRoots = [.file(file)] }
      let made = try NIOSSLContext(configuration: settings)
      known = made
      return made
    }
  }

  /// Finds out early whether the configured file of certificates can be read.
  ///
  /// - Throws: ``ServerError/failed(reason:)``.
  func checkTrust() throws {
    guard let file = configuration.trustFile else { return }
    do { _ = try context() } catch {
      throw ServerError.failed(reason: "the certificates for web hooks, \(file), can't be read")
    }
  }
}

/// Ends a connection that has sent more than any answer needs, before anything reads it.
private final class AnswerCap: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private var bytesLeft: Int
  private let promise: EventLoopPromise<HookAnswer>

  init(bytesMax: Int, promise: EventLoopPromise<HookAnswer>) {
    bytesLeft = bytesMax
    self.promise = promise
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    bytesLeft -= unwrapInboundIn(data).readableBytes
    guard bytesLeft >= 0 else {
      promise.fail(HookFailure.tooLarge)
      return context.close(promise: nil)
    }
    context.fireChannelRead(data)
  }
}

/// Sends one request and reads one answer.
private final class AnswerReader: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let request: HookRequest
  private let head: HTTPRequestHead
  private let promise: EventLoopPromise<HookAnswer>
  private var answer: HookAnswer?

  init(_ request: HookRequest, head: HTTPRequestHead, promise: EventLoopPromise<HookAnswer>) {
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
      answer = HookAnswer(
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
    promise.fail(HookFailure.brokenAnswer)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
      // A peer that hangs up without TLS's goodbye is no attack on what came before.
      if case NIOSSLError.uncleanShutdown = error { break }
      promise.fail(HookFailure.insecure)
    default: promise.fail(HookFailure.brokenAnswer)
    }
    context.close(promise: nil)
  }
}
