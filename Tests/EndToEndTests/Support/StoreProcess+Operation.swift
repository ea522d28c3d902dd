import BellhopTestSupport
import Glibc

/// A datagram socket on which a service manager would listen.
final class NotifySocket: Sendable {
  let path: String
  private let descriptor: Int32

  init(path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard descriptor >= 0, result == 0 else {
      throw Child.NotStarted(description: "No socket at \(path): \(systemMessage(errno))")
    }
  }

  deinit { close(descriptor) }

  /// Waits for a message that contains this text.
  func wait(for text: String) async throws {
    try await eventually("\(text) on the notify socket") {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return false }
        let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
        if lines.contains(Substring(text)) { return true }
      }
    }
  }
}

/// The test's own certificate authority, created by openssl.
struct TestAuthority {
  let folder: String
  var certificate: String { folder + "/ca.pem" }

  init(folder: String) async throws {
    self.folder = folder
    try await run(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", folder + "/ca-key.pem", "-out", folder + "/ca.pem", "-days", "30", "-subj",
      "/CN=Test authority")
  }

  /// Writes `NAME.pem` and `NAME-key.pem` for a host, and returns both paths.
  ///
  /// - Parameter days: The validity from now; negative for a certificate that has expired.
  func issue(
    _ name: String, for host: String, days: Int = 30
  ) async throws -> (certificate: String, key: String) {
    let base = folder + "/" + name
    try await run(
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
      base + "-key.pem", "-out", base + ".csr", "-subj", "/CN=\(name)", "-addext",
      "subjectAltName=DNS:\(host)")
    try await run(
      "x509", "-req", "-in", base + ".csr", "-CA", certificate, "-CAkey", folder + "/ca-key.pem",
      "-CAcreateserial", "-days", "\(days)", "-out", base + ".pem", "-copy_extensions", "copy")
    return (base + ".pem", base + "-key.pem")
  }

  /// Writes the same files for a self-signed certificate.
  func selfSign(
    _ name: String, for host: String
  ) async throws -> (certificate: String, key: String) {
    let base = folder + "/" + name
    try await run(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", base + "-key.pem", "-out", base + ".pem", "-days", "30", "-subj", "/CN=\(name)",
      "-addext", "subjectAltName=DNS:\(host)")
    return (base + ".pem", base + "-key.pem")
  }

  /// Runs openssl.
  func run(_ arguments: String...) async throws {
    let child = try Child(
      Programs.openssl, arguments, environment: ["PATH": "/usr/bin:/bin"], directory: folder,
      folder: folder + "/openssl")
    guard try await child.waitForEnd() == .exited(0) else {
      throw NotSeen("success of openssl \(arguments[0])", seen: child.errors)
    }
  }
}
