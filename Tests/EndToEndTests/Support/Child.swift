import BellhopTestSupport
import CPty
import FoundationEssentials
import Glibc
import Synchronization

/// A program started by a test, with its input and output in files.
///
/// It inherits only what is passed to it: no other descriptors, blocked signals or environment.
final class Child: Sendable {
  /// The way in which a program ended.
  enum Ending: Hashable {
    case exited(Int32)
    case signaled(Int32)
  }

  struct NotStarted: Error, CustomStringConvertible {
    let description: String
  }

  let processID: pid_t
  private let outputPath: String
  private let errorPath: String
  private let ending = Mutex<Ending?>(nil)

  /// - Parameters:
  /// - folder: The folder for input and output; created if necessary.
  /// - input: Standard input; empty if nil.
  /// - launcher: A program, with arguments, that becomes this one.
  init(
    _ path: String, _ arguments: [String], environment: [String: String], directory: String,
    folder: String, input: String? = nil, launcher: [String] = []
  ) throws {
    let words = launcher + [path] + arguments
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let name = "\(folder)/\(Self.number.add(1, ordering: .relaxed).newValue)"
    outputPath = name + ".out"
    errorPath = name + ".err"
    var inputPath = "/dev/null"
    if let input {
      inputPath = name + ".in"
      try Data(input.utf8).write(to: URL(filePath: inputPath))
    }

    let streams = [
      open(inputPath, O_RDONLY | O_CLOEXEC), Self.create(outputPath), Self.create(errorPath),
    ]
    defer { for stream in streams where stream >= 0 { close(stream) } }
    var argv = words.map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    let started =
      streams.contains(-1)
      ? -errno : cpty_start(words[0], &argv, &envp, directory, streams)
    guard started > 0 else {
      throw NotStarted(description: "\(path): \(systemMessage(-started))")
    }
    processID = started
  }

  private static func create(_ path: String) -> Int32 {
    open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  }

  /// The number in the names of each start's files.
  private static let number = Atomic<Int>(0)

  /// The standard output so far; invalid UTF-8 is repaired.
  var output: String { Self.text(outputPath) }
  var outputBytes: [UInt8] { Array((try? Data(contentsOf: URL(filePath: outputPath))) ?? Data()) }
  /// The standard error so far.
  var errors: String { Self.text(errorPath) }

  private static func text(_ path: String) -> String {
    let data = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }

  /// How the program ended; nil while it runs.
  var endingIfEnded: Ending? {
    ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      guard waitpid(processID, &status, WNOHANG) == processID else { return nil }
      let signal = status & 0x7F
      ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .signaled(signal)
      return ending
    }
  }

  /// Sends a signal, unless the program has ended.
  func signal(_ number: Int32) {
    if endingIfEnded == nil { kill(processID, number) }
  }

  /// Waits until the program has ended.
  func waitForEnd(within limit: Duration = patience) async throws -> Ending {
    try await eventually(
      "the end of process \(processID)", within: limit, every: .milliseconds(4),
      last: self.output + self.errors
    ) { self.endingIfEnded }
  }

  /// Waits until the program has ended in the given way.
  ///
  /// - Throws: ``NotSeen`` with its standard error if it ended in another way.
  func waitForEnd(as expected: Ending) async throws {
    let ending = try await waitForEnd()
    guard ending != expected else { return }
    throw NotSeen("the end \(expected)", seen: "\(ending)\n\(errors)")
  }

  /// Kills the program if it still runs.
  func end() async {
    signal(SIGKILL)
    _ = try? await waitForEnd()
  }
}

/// The system's message for an error number.
func systemMessage(_ code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "system error \(code)"
}

/// The result of a program that ran to its end.
struct Outcome {
  let output: String
  let outputBytes: [UInt8]
  let errors: String
  let exitCode: Int32

  /// Output without the line end.
  var line: String { output.hasSuffix("\n") ? String(output.dropLast()) : output }
  var lines: [Substring] { output.split(separator: "\n") }
}
