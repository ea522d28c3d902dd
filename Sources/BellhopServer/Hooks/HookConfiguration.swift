package import BellhopModel
internal import BellhopOutbound

/// The limits and rules of a server's web hooks. Every value is configurable.
package struct HookConfiguration: Sendable {
  /// Non-public networks where hooks are permitted, such as `10.0.0.0/8`.
  ///
  /// A cloud's metadata address is only permitted if it is listed by itself.
  package var allowedNetworks: [IPNetwork] = []
  /// Whether plain HTTP is permitted for hooks. Anyone on the network path can read it.
  package var allowsPlain = false
  /// The ports that hooks may use; empty for all.
  package var allowedPorts: [Int] = []
  /// A file of certificates (PEM) to trust in addition to the system's.
  package var trustFile: String?
  /// The total time limit of a hook, from the name lookup to the end of the response.
  package var answerTimeout = Duration.seconds(10)
  /// The maximum size of a response, including headers. A larger one fails.
  package var answerBytesMax = 16 * 1024
  /// The maximum number of hooks called at the same time.
  ///
  /// Hooks that failed or were slow before may use at most half of them.
  package var connectionsMax = 16
  /// The maximum number of simultaneous calls of one user's hooks on one host.
  ///
  /// Other users' hooks on this host do not wait for them: a host that never responds only delays
  /// the users who named it.
  package var connectionsPerHostMax = 2
  package var connectionsPerUserMax = 4
  /// The maximum number of simultaneous handshakes. The store refuses further ones for the moment.
  package var handshakesMax = 8
  /// The maximum number of simultaneous handshakes of one user.
  ///
  /// A user whose hooks never respond therefore cannot block other users.
  package var handshakesPerUserMax = 2
  /// The response time above which a hook is slow.
  package var slowAfter = Duration.seconds(3)
  /// The time for which changes are collected into one request.
  package var batchDelay = Duration.milliseconds(250)
  /// The interval at which all subscriptions are checked without a signal.
  package var pollInterval = Duration.seconds(300)

  package init() {}

  var urlRules: OutboundURL.Rules {
    OutboundURL.Rules(allowsPlain: allowsPlain, ports: allowedPorts)
  }

  var outboundRules: OutboundRules {
    OutboundRules(
      allowedNetworks: allowedNetworks, trustFile: trustFile, answerTimeout: answerTimeout,
      answerBytesMax: answerBytesMax)
  }
}
