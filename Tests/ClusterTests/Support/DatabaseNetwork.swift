#if BELLHOP_POSTGRES
import Foundation
import PostgresTestSupport

/// A network between this machine and a server of PostgreSQL in a network namespace.
///
/// It needs root, and the programs `ip`, `nsenter` and `unshare`. A pair of virtual devices connects both
/// sides. The namespace ends with the server's last process, and the devices with the namespace.
struct DatabaseNetwork: Sendable {
  /// The addresses from 198.18.0.0 on, which RFC 2544 reserves for tests of networks.
  private static let block: UInt32 = 0xC612_0000

  private static let outsideLink = "02:00:00:00:00:01"
  private static let insideLink = "02:00:00:00:00:02"
  /// The link-layer address of no device. The receiver drops its packets, and the sender sees no error.
  private static let missingLink = "02:00:00:00:00:03"

  /// The port of the server, by which its network differs from others on this machine.
  let port: Int

  /// The address of this machine.
  private var outside: String { Self.text(of: address(1)) }
  /// The address of the server.
  var inside: String { Self.text(of: address(2)) }
  /// The name of this machine's device, which has at most 15 characters.
  private var device: String { "bellhop-\(port)" }

  private func address(_ host: UInt32) -> UInt32 { Self.block + UInt32(port) * 4 + host }

  private static func text(of address: UInt32) -> String {
    withUnsafeBytes(of: address.bigEndian) { bytes in
      bytes.map { byte in "\(byte)" }.joined(separator: ".")
    }
  }

  // MARK: - Starting

  /// Creates the devices in a new namespace, and runs a command there.
  ///
  /// The parent process is in the namespace of this machine.
  private static let creation = #"""
    device=$1 outside=$2 inside=$3 outside_link=$4 inside_link=$5 && shift 5 || exit
    ip link set lo up || exit
    ip link add eth0 address "$inside_link" type veth \
      peer name "$device" address "$outside_link" netns "$PPID" || exit
    ip address add "$inside/30" dev eth0 && ip link set eth0 up || exit
    nsenter --net="/proc/$PPID/ns/net" ip address add "$outside/30" dev "$device" || exit
    nsenter --net="/proc/$PPID/ns/net" ip link set "$device" up || exit
    exec "$@"
    """#

  /// The words before the command of the server.
  var prefix: [String] {
    [
      "/usr/bin/unshare", "--net", "/bin/sh", "-c", Self.creation, "sh", device, outside, inside,
      Self.outsideLink, Self.insideLink,
    ]
  }

  /// The content of a `pg_hba.conf` that trusts this machine.
  var accessRules: String {
    """
    local all all trust
    host all all \(outside)/32 trust

    """
  }

  // MARK: - Cutting

  private static let neighbours = #"""
    device=$1 server=$2 outside=$3 inside=$4 outside_link=$5 inside_link=$6
    ip neighbour replace "$inside" lladdr "$inside_link" dev "$device" nud permanent || exit
    exec nsenter --net="/proc/$server/ns/net" \
      ip neighbour replace "$outside" lladdr "$outside_link" dev eth0 nud permanent
    """#

  /// Lets all packets vanish in both directions, or lets them arrive again.
  ///
  /// Only timeouts notice a cut: no device goes down, and no packet is answered.
  ///
  /// - Parameters:
  /// - server: The process id of the server.
  /// - folder: A folder for the output of programs.
  func set(isCut: Bool, server: pid_t, folder: String) async throws {
    try await ProgramRun.succeed(
      [
        "/bin/sh", "-c", Self.neighbours, "sh", device, "\(server)", outside, inside,
        isCut ? Self.missingLink : Self.outsideLink, isCut ? Self.missingLink : Self.insideLink,
      ], folder: folder)
  }

  // MARK: - Counts

  /// The own addresses of the connections of this machine's processes to the server.
  ///
  /// They include those that are being opened.
  func connections() throws -> Set<String> {
    let server = [address(2).bigEndian, UInt32(port)]
    // `String(contentsOfFile:)` reads one page of it.
    let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp"))
    let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    var connections: Set<String> = []
    for line in table.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: " ")
      guard fields.count > 9 else { continue }
      let remote = fields[2].split(separator: ":").compactMap { UInt32($0, radix: 16) }
      // The number of a socket that its process has closed is 0.
      guard remote == server, fields[9] != "0" else { continue }
      connections.insert(String(fields[1]))
    }
    return connections
  }

  /// The number of packets that this machine has sent to the server.
  func packetsSent() throws -> Int {
    let path = "/sys/class/net/\(device)/statistics/tx_packets"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return try ClusterError.require(
      text.split(separator: "\n").first.flatMap { Int($0) }, "\(path) has no number")
  }
}
#endif
