import BellhopTestSupport
import Glibc

@testable import BellhopClient

/// A network namespace with a pair of virtual Ethernet devices, `here` and `there`.
///
/// A child process owns it. The sockets to the kernel's tables are opened there and passed to the
/// test: a socket stays in the namespace in which it was opened.
final class NetworkNamespace {
  /// Opens sockets for the lines `open 0` and `open 1`, and runs `ip` for the others.
  private static let script = """
    import array, socket, subprocess, sys

    test = socket.socket(socket.AF_UNIX)
    test.connect(sys.argv[1])
    for line in test.makefile("r"):
        words = line.split()
        if words[0] == "open":
            # The groups of devices, neighbours, and IPv4 and IPv6 routes.
            groups = 0x1 | 0x4 | 0x40 | 0x400 if words[1] == "1" else 0
            tables = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
            tables.bind((0, groups))
            socket.send_fds(test, [b"0"], [tables.fileno()])
            tables.close()
        else:
            ended = subprocess.run(["ip"] + words, capture_output=True)
            sys.stderr.write(ended.stderr.decode())
            test.sendall(b"1" if ended.returncode else b"0")
    """

  /// The longest wait for an answer, in seconds.
  private static let secondsMax = 60

  private let folder: TemporaryFolder
  private let child: ChildProcess.Started
  private let connection: Int32

  /// Whether this machine allows such a namespace, and has `ip` and Python.
  static func isAllowed() -> Bool {
    guard let space = try? NetworkNamespace() else { return false }
    space.end()
    return true
  }

  init() throws {
    let environment = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"]
    guard let unshare = ChildProcess.find("unshare", environment: environment),
      let python = ChildProcess.find("python3", environment: environment)
    else { throw NotSeen("a network namespace", seen: "no unshare or python3") }
    folder = try TemporaryFolder()
    let path = folder.path + "/test"
    let listener = try Self.listen(path)
    defer { close(listener) }
    child = try ChildProcess.start(
      unshare, ["-rn", python, "-c", Self.script, path], errors: .file(folder.path + "/errors"))
    var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    // The child connects, or writes why it cannot.
    var rounds = Self.secondsMax * 10
    while poll(&waiting, 1, 100) == 0, rounds > 0, Self.errors(in: folder).isEmpty { rounds -= 1 }
    connection = waiting.revents == 0 ? -1 : accept(listener, nil, nil)
    guard connection >= 0 else {
      let errors = Self.errors(in: folder)
      end()
      throw NotSeen("a network namespace", seen: errors)
    }
    var limit = timeval(tv_sec: Self.secondsMax, tv_usec: 0)
    setsockopt(
      connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    do {
      for command in [
        "link set lo up", "link add here type veth peer name there",
        "addr add 192.0.2.2/24 dev here", "link set here up", "link set there up",
      ] { try ip(command) }
    } catch {
      end()
      throw error
    }
  }

  private static func errors(in folder: TemporaryFolder) -> String {
    ((try? PrivateFile.read(folder.path + "/errors")) ?? nil) ?? ""
  }

  /// Ends the child, and the namespace with it.
  func end() {
    if connection >= 0 { close(connection) }
    kill(child.processID, SIGKILL)
    close(child.standardOutput)
    _ = ChildProcess.wait(for: child.processID)
    folder.remove()
  }

  /// Runs `ip` in the namespace.
  func ip(_ arguments: String) throws {
    _ = try ask(arguments)
  }

  /// Makes `address` the default gateway, with this hardware address.
  func join(_ address: String, _ hardwareAddress: String) throws {
    try ip("route replace default via \(address) dev here")
    try ip("neigh replace \(address) lladdr \(hardwareAddress) dev here nud permanent")
  }

  /// Opens a socket in the namespace.
  func socket(hearsChanges: Bool) throws(ClientError) -> NetworkSocket {
    do {
      let descriptor = try ask("open \(hearsChanges ? 1 : 0)")
      return try NetworkSocket(adopting: descriptor ?? -1)
    } catch {
      throw ClientError(explaining: error)
    }
  }

  /// Sends a line and waits for the answer. Returns the descriptor that came with it.
  private func ask(_ line: String) throws -> Int32? {
    let bytes = Array((line + "\n").utf8)
    guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw NotSeen("the namespace", seen: String(cString: strerror(errno)))
    }
    var answer: UInt8 = 0
    // A header of 16 bytes (cmsg(3)), the descriptor, and padding.
    var control = [UInt32](repeating: 0, count: 6)
    let count = withUnsafeMutablePointer(to: &answer) { answer in
      control.withUnsafeMutableBytes { control in
        var part = iovec(iov_base: answer, iov_len: 1)
        return withUnsafeMutablePointer(to: &part) { part in
          var message = msghdr()
          message.msg_iov = part
          message.msg_iovlen = 1
          message.msg_control = control.baseAddress
          message.msg_controllen = control.count
          return recvmsg(connection, &message, Int32(MSG_CMSG_CLOEXEC))
        }
      }
    }
    guard count == 1, answer == UInt8(ascii: "0") else {
      throw NotSeen("success of ip \(line)", seen: Self.errors(in: folder))
    }
    return control[0] == 0 ? nil : Int32(bitPattern: control[4])
  }

  private static func listen(_ path: String) throws -> Int32 {
    let listener = Glibc.socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var own = sockaddr_un()
    own.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &own.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let isBound = withUnsafePointer(to: &own) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isBound, Glibc.listen(listener, 1) == 0 else {
      close(listener)
      throw NotSeen("a socket", seen: String(cString: strerror(errno)))
    }
    return listener
  }
}
