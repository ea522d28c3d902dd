package import BellhopInbox
internal import BellhopModel
internal import BellhopNetwork
internal import BellhopOutbound
internal import BellhopText

/// A client for the requests of item actions that the user confirmed (SECURITY-6).
///
/// This process makes them, on the network's own threads, and adds nothing of its own except the
/// program's name.
package final class ActionCaller: Sendable {
  private let caller: GuardedHTTPClient
  private let reachesPrivate: Bool

  /// The time limit for a whole request.
  static let timeLimit = Duration.seconds(15)
  /// The largest response. Only its status is used.
  private static let answerBytesMax = 64 * 1024

  package init(_ context: ClientContext) {
    let configuration = context.configuration
    reachesPrivate = configuration.actionsReachPrivate
    caller = GuardedHTTPClient(
      OutboundRules(
        allowedNetworks: reachesPrivate ? AddressKind.nearbyNetworks : [], keepsPlainHere: true,
        trustFile: configuration.authorityFile, answerTimeout: Self.timeLimit,
        answerBytesMax: Self.answerBytesMax),
      userAgent: "bellhop", sleep: { try await ContinuousClock().sleep(for: $0) })
  }

  /// Sends the request, and waits for its outcome.
  package func outcome(of run: ActionRun) async -> ActionOutcome {
    guard run.call.url.isSecure || reachesPrivate else {
      return .refused("plain http is blocked. " + Self.allowPrivate)
    }
    do throws(OutboundError) {
      return .answered(try await caller.call(Self.request(of: run)).status)
    } catch {
      return Self.outcome(of: error, run.call.url, reachesPrivate: reachesPrivate)
    }
  }

  /// Returns the request, with the text that the user typed as its body.
  static func request(of run: ActionRun) -> OutboundRequest {
    let body = run.order.text ?? run.call.body ?? ""
    let isTyped = run.call.headers.keys.contains { $0.lowercased() == "content-type" }
    return OutboundRequest(
      method: run.call.method, url: run.call.url,
      contentType: body.isEmpty || isTyped ? nil : "text/plain; charset=utf-8",
      headers: run.call.headers, body: Array(body.utf8))
  }

  private static let allowPrivate: SafeText = "Set allow-private = true under [actions]."

  /// Returns the outcome of a request without a response, as text for the screen.
  static func outcome(
    of failure: OutboundError, _ url: OutboundURL, reachesPrivate: Bool
  ) -> ActionOutcome {
    let host = SafeText(url.authority)
    return switch failure {
    case .refusedAddress where !url.isSecure:
      .refused(host + " is not this machine. Other machines need https.")
    case .refusedAddress(.metadata): .refused("actions may not call " + host + ".")
    case .refusedAddress where reachesPrivate:
      .refused(host + " does not have a valid address.")
    case .refusedAddress: .refused(host + " is a private address. " + allowPrivate)
    case .unconnected(let failure): .failed(SafeText(failure.description), mayBeDone: false)
    case .tooSlow:
      .failed(
        SafeText("\(url.host) did not answer in \(timeLimit.components.seconds) s"),
        mayBeDone: true)
    case .tooLarge: .failed(SafeText("the answer from \(url.host) is too large"), mayBeDone: true)
    case .brokenAnswer(let failure): .failed(SafeText(failure.description), mayBeDone: true)
    case .cancelled: .failed("the request was cancelled", mayBeDone: true)
    }
  }
}
