internal import Dispatch
internal import Glibc

/// The networks that the device is on, as far as it can recognise them.
package struct NetworkSurvey: Hashable, Sendable {
  package var fingerprints: Set<NetworkFingerprint> = []
  /// Whether a network without one of the fingerprints is certainly another network.
  ///
  /// False without a network, and if no gateway answers or NetworkManager does not.
  package var isComplete = false

  /// The sources of a survey. Tests replace them.
  struct Sources: Sendable {
    var tables: @Sendable () throws(ClientError) -> NetworkTables
    /// Makes the kernel ask for a gateway's hardware address.
    var resolve: @Sendable (NetworkTables.Address) -> Void
    /// Lets time pass on the calling thread, for a number of milliseconds.
    var pause: @Sendable (UInt32) -> Void
    var wifi: @Sendable () -> WiFiName
  }

  /// The pauses before the tables are read again for a missing hardware address, in milliseconds: a
  /// second in total.
  static let pauses: [UInt32] = [20, 80, 200, 300, 400]

  /// Surveys the networks of this machine, in up to six seconds if nothing answers.
  package static func present(environment: [String: String]) async -> NetworkSurvey {
    await withCheckedContinuation { continuation in
      // A thread of the concurrency pool must not wait for the system.
      DispatchQueue(label: "bellhop.places.survey").async {
        continuation.resume(returning: take(from: .system(environment: environment)))
      }
    }
  }

  /// Surveys the networks. Blocks the thread.
  static func take(from sources: Sources) -> NetworkSurvey {
    guard let tables = try? sources.tables(), tables.hasDefaultRoute else { return NetworkSurvey() }
    let gateways = resolved(tables, sources)
    let fingerprints = Set(gateways.compactMap { NetworkFingerprint($0) })
    // One gateway is enough: that of IPv6 often never answers.
    var survey = NetworkSurvey(
      fingerprints: fingerprints, isComplete: gateways.isEmpty || !fingerprints.isEmpty)
    switch sources.wifi() {
    case .known(let name): survey.fingerprints.insert(NetworkFingerprint(wifiName: name))
    case .absent: break
    case .unknown: survey.isComplete = false
    }
    return survey
  }

  /// Returns the gateways with their hardware addresses, after asking for missing ones.
  static func resolved(
    _ tables: NetworkTables, _ sources: Sources
  ) -> Set<NetworkTables.Gateway> {
    var gateways = tables.gateways
    let missing = gateways.filter { $0.hardwareAddress == nil }
    for gateway in missing { sources.resolve(gateway.address) }
    guard !missing.isEmpty else { return gateways }
    for milliseconds in pauses {
      sources.pause(milliseconds)
      guard let again = try? sources.tables() else { break }
      gateways = again.gateways
      if gateways.allSatisfy({ $0.hardwareAddress != nil }) { break }
    }
    return gateways
  }
}

extension NetworkSurvey.Sources {
  /// The kernel's tables, and NetworkManager on the system's bus.
  static func system(environment: [String: String]) -> Self {
    Self(
      tables: { () throws(ClientError) in try NetworkSocket(hearsChanges: false).readTables() },
      resolve: { $0.sendEmptyDatagram() }, pause: { usleep($0 * 1000) },
      wifi: { WiFiName.present(environment: environment) })
  }
}

extension NetworkTables.Address {
  /// The port that discards what it receives (RFC 863).
  private static let discardPort: UInt16 = 9

  /// Sends a datagram without content, so that the kernel looks up the hardware address.
  fileprivate func sendEmptyDatagram() {
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    func send<Target>(to target: Target) {
      withUnsafeBytes(of: target) { bytes in
        guard let start = bytes.baseAddress else { return }
        _ = sendto(
          descriptor, nil, 0, Int32(MSG_NOSIGNAL),
          start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      }
    }
    if family == AF_INET {
      var target = sockaddr_in()
      target.sin_family = sa_family_t(AF_INET)
      target.sin_port = Self.discardPort.bigEndian
      withUnsafeMutableBytes(of: &target.sin_addr) { $0.copyBytes(from: bytes.prefix($0.count)) }
      send(to: target)
    } else {
      var target = sockaddr_in6()
      target.sin6_family = sa_family_t(AF_INET6)
      target.sin6_port = Self.discardPort.bigEndian
      target.sin6_scope_id = UInt32(device)
      withUnsafeMutableBytes(of: &target.sin6_addr) { $0.copyBytes(from: bytes.prefix($0.count)) }
      send(to: target)
    }
  }
}
