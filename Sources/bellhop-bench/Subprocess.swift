import CPty
import Glibc

/// A program that runs to completion without a terminal.
struct Subprocess {
  var path: String
  var arguments: [String]
  var directory: String
  var environment: [String: String] = [:]

  /// Runs the program with empty input, and returns its output.
  ///
  /// - Throws: ``BenchError`` if it cannot be started or its exit code is not 0.
  @discardableResult
  func run() throws -> String {
    var ends: [Int32] = [-1, -1]
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nothing) }
    guard nothing >= 0, pipe(&ends) == 0 else { throw BenchError("a pipe cannot be created") }
    defer { close(ends[0]) }
    let process = start([nothing, ends[1], ends[1]])
    close(ends[1])
    guard process > 0 else {
      throw BenchError("\(path) could not be started: \(String(cString: strerror(-process)))")
    }
    var output: [UInt8] = []
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      while true {
        let count = read(ends[0], buffer.baseAddress, buffer.count)
        if count > 0 { output.append(contentsOf: buffer[..<count]) }
        if count == 0 || (count < 0 && errno != EINTR) { break }
      }
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let text = String(decoding: output, as: UTF8.self)
    guard status == 0 else {
      throw BenchError("\(path) failed: \(text.suffix(300))")
    }
    return text
  }

  private func start(_ streams: [Int32]) -> Int32 {
    var argv = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = Terminal.environment(home: directory, adding: environment)
    var envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    return cpty_start(path, &argv, &envp, directory, streams)
  }
}
