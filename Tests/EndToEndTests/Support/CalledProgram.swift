import BellhopTestSupport
import FoundationEssentials
import Glibc

/// A small third-party server that items' actions call.
///
/// It records what it was sent, and answers with the status that the path names.
final class CalledProgram: Sendable {
  struct Call: Decodable, Hashable, Sendable {
    let method: String
    let path: String
    let headers: [String: String]
    let body: String
  }

  private static let script = """
    import http.server, json, sys

    class Called(http.server.BaseHTTPRequestHandler):
        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            print(json.dumps({"method": self.command, "path": self.path, "headers": headers,
                              "body": body}), flush=True)
            status = int(self.path.rsplit("/", 1)[-1])
            self.send_response(status)
            if status // 100 == 3:
                self.send_header("Location", "/elsewhere/200")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_PUT = do_POST = do_DELETE = answer

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Called)
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
      port = try await eventually("the program's port", last: child.errors) {
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
  func calls() throws -> [Call] {
    // The last part is an incomplete line.
    try child.output.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
      .dropLast().map { try JSONDecoder().decode(Call.self, from: Data($0.utf8)) }
  }
}
