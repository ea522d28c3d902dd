package import BellhopModel
internal import BellhopOutbound

/// How a server calls web hooks; every value can be configured.
package struct HookConfiguration: Sendable {
  /// Networks that hooks may be in although they are not everybody's, as `10.0.0.0/8`. A cloud's
  /// metadata address is allowed by naming it alone.
  package var allowedNetworks: [IPNetwork] = []
  /// Whether hooks may be called by plain HTTP, which everybody on the way can read.
  package var allowsPlain = false
  /// Ports that hooks may use; none allows all.
  package var allowedPorts: [Int] = []
  /// A file of certificates (PEM) that are trusted beside the system's.
  package var trustFile: String?
  /// A hook's whole time: from the look-up of its name to the end of its answer.
  package var answerTimeout = Duration.seconds(10)
  /// Of an answer, headers and all; more is a failure.
  package var answerBytesMax = 16 * 1024
  /// Hooks called at once. Those that failed or were slow before have half of them.
  package var connectionsMax = 16
  /// Hooks of one user on one host. Other users' hooks there do not wait for them: a host that
  /// never answers delays only those who named it first.
  package var connectionsPerHostMax = 2
  package var connectionsPerUserMax = 4
  /// Hooks asked at once whether they want to be told; more are asked to come back.
  package var handshakesMax = 8
  /// The same of one user, so that one whose hooks never answer keeps no other out.
  package var handshakesPerUserMax = 2
  /// A hook that takes longer to answer is slow.
  package var slowAfter = Duration.seconds(3)
  /// Changes are collected for so long, so that many become one request.
  package var batchDelay = Duration.milliseconds(250)
  /// How often all subscriptions are looked at without a cause.
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
