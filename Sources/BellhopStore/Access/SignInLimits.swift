/// The limits of signing devices in with codes, which all processes of a store share.
package struct SignInLimits: Sendable, Hashable {
  /// The time that a device waits for approval.
  package var life = Duration.seconds(600)
  /// The initial time between two polls of a device.
  package var interval = Duration.seconds(5)
  /// The increase of the interval after a poll that came too early (RFC 8628 §3.5).
  package var intervalStep = Duration.seconds(5)
  /// The maximum number of remembered devices, waiting or just decided.
  package var grantsMax = 1000
  /// The maximum number of devices that wait at one IPv4 address, or in one IPv6 /64 network.
  package var grantsPerAddressMax = 20
  /// The same limit for an IPv6 /48 network. Some households have several of 64 bits in one.
  package var grantsPerSiteMax = 80
  /// The maximum number of requests from one IPv4 address or IPv6 /64 network in a minute.
  package var asksPerMinuteMax = 10
  /// The same limit for an IPv6 /48 network.
  package var siteAsksPerMinuteMax = 40
  /// The maximum number of unknown codes that one user may try in ten minutes.
  package var wrongCodesMax = 10
  /// The maximum number of addresses and users whose requests are counted.
  package var countedMax = 4096

  package init() {}
}
