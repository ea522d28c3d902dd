import BellhopTestSupport
import CPty
import Glibc

/// Cleans up a scene when the test process is killed, because terminals and stores outlive it.
///
/// A small shell waits for a word. When the process ends without sending it, the shell ends
/// everything that was started with the scene's folder in its command line.
final class Keeper: Sendable {
  private static let script = """
    trap '' INT TERM HUP
    read -r word && exit 0
    for entry in /proc/[0-9]*; do
      grep -qsF "$SCENE/" "$entry/cmdline" && kill -9 "${entry#/proc/}"
    done
    rm -rf "$SCENE"
    """

  private let word: Int32
  private let process: pid_t

  init(folder: String) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw Child.NotStarted(description: "No pipe: \(systemMessage(errno))")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let silence = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer {
      close(ends[0])
      close(silence)
    }
    let arguments = ["/bin/sh", "-c", Self.script]
    let environment = ["SCENE=\(folder)", "PATH=/usr/bin:/bin"]
    var argv = arguments.map { strdup($0) } + [nil]
    var envp = environment.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    process = cpty_start("/bin/sh", &argv, &envp, "/", [ends[0], silence, silence])
    word = ends[1]
    guard process > 0 else {
      close(word)
      throw Child.NotStarted(description: "/bin/sh: \(systemMessage(-process))")
    }
  }

  /// Releases the shell after the scene was cleaned up.
  func dismiss() async {
    _ = write(word, "done\n", 5)
    close(word)
    _ = try? await eventually("the end of the keeper") {
      var status: Int32 = 0
      return waitpid(process, &status, WNOHANG) == process
    }
  }
}
