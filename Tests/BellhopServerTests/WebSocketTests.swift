import NIOCore
import NIOEmbedded
import NIOWebSocket
import Synchronization
import Testing

@testable import BellhopServer

@Suite("WebSocket frames from listeners")
struct WebSocketTests {
  private func socket(_ ended: @escaping @Sendable () -> Void = {}) throws -> EmbeddedChannel {
    EmbeddedChannel(handler: WebSocketHandler(pace: nil, ended: ended))
  }

  private func ping(_ text: String) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer(string: text))
  }

  /// The answers so far.
  private func answers(_ channel: EmbeddedChannel) throws -> [String] {
    var answers: [String] = []
    while let frame = try channel.readOutbound(as: WebSocketFrame.self) {
      answers.append("\(frame.opcode) \(String(buffer: frame.data))")
    }
    return answers
  }

  @Test("pongs are not queued for a client that does not read them")
  func unreadPongs() throws {
    let channel = try socket()
    try channel.writeInbound(ping("a"))
    #expect(try answers(channel) == ["\(WebSocketOpcode.pong) a"])
    // The unsent bytes have reached the limit.
    channel.isWritable = false
    for _ in 0..<1_000 { try channel.writeInbound(ping("b")) }
    #expect(try answers(channel) == [])
    // The channel is read again: earlier pings get no answer, new ones do.
    channel.isWritable = true
    try channel.writeInbound(ping("c"))
    #expect(try answers(channel) == ["\(WebSocketOpcode.pong) c"])
    _ = try channel.finish(acceptAlreadyClosed: true)
  }

  @Test("a close frame is answered once, even if the answers are not read")
  func goodBye() throws {
    let count = Mutex(0)
    let channel = try socket { count.withLock { $0 += 1 } }
    channel.isWritable = false
    for _ in 0..<3 {
      try channel.writeInbound(
        WebSocketFrame(fin: true, opcode: .connectionClose, data: ByteBuffer(string: "x")))
    }
    #expect(try answers(channel) == ["\(WebSocketOpcode.connectionClose) x"])
    #expect(count.withLock { $0 } == 3)
    _ = try channel.finish(acceptAlreadyClosed: true)
  }
}
