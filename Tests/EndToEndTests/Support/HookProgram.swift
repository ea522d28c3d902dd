import BellhopTestSupport
import FoundationEssentials
import Glibc

/// A third-party program that receives webhooks, as its owner would write it.
final class HookProgram: Sendable {
  /// A request that the program received.
  struct Told: Decodable, Hashable, Sendable {
    struct Value: Decodable, Hashable, Sendable {
      struct Data: Decodable, Hashable, Sendable {
        let id: String
      }
      let subscriptionId: String
      let clientState: String?
      let changeType: String?
      let lifecycleEvent: String?
      let resourceData: Data?
    }
    let path: String
    let value: [Value]
  }

  private static let script = """
    import http.server, json, sys, urllib.parse

    class Hook(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            url = urllib.parse.urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            token = urllib.parse.parse_qs(url.query).get("validationToken")
            if token:
                answer = token[0].encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)
                return
            print(json.dumps({"path": url.path, **json.loads(body)}), flush=True)
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  private let child: Child
  let port: Int

  init(folder: String) async throws {
    let child = try Child(
      Programs.python, ["-c", Self.script], environment: ["PATH": "/usr/bin:/bin"],
      directory: "/", folder: folder)
    self.child = child
    do {
      port = try await eventually("the hook's port", last: child.errors) {
        child.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first
          .flatMap { Int($0) }
      }
    } catch {
      await child.end()
      throw error
    }
  }

  var url: String { "http://127.0.0.1:\(port)" }

  func end() async { await child.end() }

  /// Every request so far.
  func told() throws -> [Told] {
    // The last part is an incomplete line.
    try child.output.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
      .dropLast().map { try JSONDecoder().decode(Told.self, from: Data($0.utf8)) }
  }

  /// Waits until a request of this kind has arrived.
  @discardableResult
  func wait(
    for what: String, where condition: @escaping (Told.Value) -> Bool
  ) async throws -> Told.Value {
    try await eventually(what, last: child.output + child.errors) {
      try told().flatMap(\.value).first(where: condition)
    }
  }
}
