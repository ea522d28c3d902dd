import NIOCore
import NIOEmbedded
import Testing

@testable import BellhopSync

/// The writes that leave a connection, and when.
@Suite("Flushes of one event loop turn")
struct CoalescedFlushTests {
  /// A handler nearer to the network that records what reaches it.
  private final class Witness: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private(set) var events: [String] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      events.append(String(buffer: unwrapOutboundIn(data)))
      context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
      events.append("flush")
      context.flush()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      events.append("close")
      context.close(mode: mode, promise: promise)
    }
  }

  private let witness = Witness()
  private let channel: EmbeddedChannel

  init() throws {
    channel = EmbeddedChannel(handlers: [witness, CoalescedFlush()])
  }

  @Test("head and body of a request are sent together, and the next request separately")
  func together() {
    channel.writeAndFlush(ByteBuffer(string: "head"), promise: nil)
    channel.writeAndFlush(ByteBuffer(string: "body"), promise: nil)
    #expect(witness.events == ["head", "body"])
    channel.embeddedEventLoop.run()
    #expect(witness.events == ["head", "body", "flush"])
    channel.writeAndFlush(ByteBuffer(string: "next"), promise: nil)
    channel.embeddedEventLoop.run()
    #expect(witness.events == ["head", "body", "flush", "next", "flush"])
  }

  @Test("pending writes are sent before the connection closes")
  func closed() {
    channel.writeAndFlush(ByteBuffer(string: "last"), promise: nil)
    channel.close(promise: nil)
    #expect(witness.events == ["last", "flush", "close"])
  }
}
