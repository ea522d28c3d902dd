import BellhopModel
import BellhopWire
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

@testable import BellhopServer

/// A small server for hooks on a free port, with all the faults that hooks have.
final class HookStub: Sendable {
  struct Received: Sendable {
    var uri: String
    var headers: HTTPHeaders
    var body: [UInt8]

    var isHandshake: Bool { uri.contains("validationToken=") }

    /// The token as a hook returns it.
    var token: String {
      let text = uri.split(separator: "validationToken=").last ?? ""
      return Route.unescaped(String(text.prefix { $0 != "&" })) ?? ""
    }

    /// The change types, such as `created` or `missed`; empty for any other body.
    var words: [String] {
      if let list = try? WireJSON.decode(ChangeNotificationListPayload.self, from: body) {
        return list.value.map(\.changeType.rawValue)
      }
      let list = try? WireJSON.decode(LifecycleNotificationListPayload.self, from: body)
      return list?.value.map(\.lifecycleEvent.rawValue) ?? []
    }
  }

  enum Reply: Sendable {
    case status(Int, headers: [(String, String)] = [], body: String = "")
    /// The handshake's answer.
    case token
    case silence
    case hangUp
    /// Endless headers.
    case headerFlood
    /// An endless body.
    case bodyFlood
  }

  typealias Script = @Sendable (Received) -> Reply

  /// Returns tokens, and accepts every delivery.
  static let obliging: Script = { $0.isHandshake ? .token : .status(202) }

  private struct State {
    var script: Script = HookStub.obliging
    var received: [Received] = []
  }

  private let state = Mutex(State())
  private let channel: Mutex<(any Channel)?> = Mutex(nil)

  /// - Parameter tls: The context for TLS; plain HTTP if nil.
  static func start(tls: NIOSSLContext? = nil) async throws -> HookStub {
    let stub = HookStub()
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
          try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
          try pipeline.addHandler(StubHandler(stub))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    stub.channel.withLock { $0 = channel }
    return stub
  }

  func stop() async {
    try? await channel.withLock { $0 }?.close().get()
  }

  var port: Int { channel.withLock { $0?.localAddress?.port ?? 0 } }
  /// The hook's plain HTTP address.
  var url: String { "http://hook.test:\(port)/hook?secret=x" }

  func reply(_ script: @escaping Script) { state.withLock { $0.script = script } }

  /// All requests except handshakes.
  var told: [Received] { state.withLock(\.received).filter { !$0.isHandshake } }
  var handshakes: [Received] { state.withLock(\.received).filter(\.isHandshake) }

  fileprivate func answer(to received: Received) -> Reply {
    let script = state.withLock { state in
      state.received.append(received)
      return state.script
    }
    return script(received)
  }
}

private final class StubHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let stub: HookStub
  private var received: HookStub.Received?

  init(_ stub: HookStub) { self.stub = stub }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      received = HookStub.Received(uri: head.uri, headers: head.headers, body: [])
    case .body(let bytes): received?.body += bytes.readableBytesView
    case .end:
      guard let received else { return }
      reply(stub.answer(to: received), received, context)
    }
  }

  private func reply(
    _ reply: HookStub.Reply, _ received: HookStub.Received, _ context: ChannelHandlerContext
  ) {
    switch reply {
    case .silence: break
    case .hangUp: context.close(promise: nil)
    case .token:
      send(200, [("Content-Type", "text/plain; charset=utf-8")], received.token, context)
    case .status(let status, let headers, let body): send(status, headers, body, context)
    case .headerFlood:
      let line = ("X-Flood", String(repeating: "x", count: 7000))
      send(200, Array(repeating: line, count: 10), "", context)
    case .bodyFlood:
      send(
        200, [("Content-Type", "text/plain")], String(repeating: "x", count: 10_000_000), context)
    }
  }

  private func send(
    _ status: Int, _ headers: [(String, String)], _ body: String,
    _ context: ChannelHandlerContext
  ) {
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: status),
      headers: HTTPHeaders(headers))
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(
      wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
