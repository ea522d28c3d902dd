package import BellhopModel

/// The identifier of a device grant. It is not a secret.
package typealias DeviceGrantID = UniqueID<DeviceGrant>

/// A request of a device to be signed in.
package struct DeviceGrantRequest: Hashable, Sendable {
  /// The OAuth client that sent it.
  package var client: String
  /// The registration of the device; nil for a client that sent none.
  package var registration: DeviceRegistration?
  /// The address that it came from, for display.
  package var address: String
  /// The key of the network by which requests are counted: an IPv4 address or an IPv6 /64 network.
  package var network: String
  /// The key of the surrounding IPv6 /48 network; for IPv4, that of the network.
  package var site: String

  package init(
    client: String, registration: DeviceRegistration?, address: String, network: String,
    site: String
  ) {
    self.client = client
    self.registration = registration
    self.address = address
    self.network = network
    self.site = site
  }
}

/// The grant that a device waits for, from its request to its token (RFC 8628).
///
/// Any process of the store may open it, let a user decide on it, and redeem it. The storage keeps
/// only hashes of both codes.
package struct DeviceGrant: Hashable, Sendable, Identifiable {
  /// The stage of a grant. It changes from pending to approved or denied, and from approved to
  /// redeemed.
  package enum State: String, Hashable, Sendable, CaseIterable {
    case pending
    case approved
    case denied
    /// The stage after the device has received its token, which uses up the code.
    case redeemed
  }

  package let id: DeviceGrantID
  /// The SHA-256 of the device code, which has 256 random bits.
  package let deviceCodeHash: [UInt8]
  /// A MAC of the user code, which has too few bits for a plain hash.
  package let userCodeHash: [UInt8]
  package let request: DeviceGrantRequest
  /// The store's wall-clock time of the request.
  package let requested: Timestamp
  /// The time from which no user can decide on it, and no device can redeem it.
  package let expires: Timestamp
  /// The time at which the store forgets it. Until then, a late device learns that it expired.
  package let forgotten: Timestamp
  /// The time between two polls of the device.
  package var interval: Duration
  package var state: State
  /// The user who approved or denied it.
  package var decider: UserID?

  package init(
    id: DeviceGrantID, deviceCodeHash: [UInt8], userCodeHash: [UInt8], request: DeviceGrantRequest,
    requested: Timestamp, expires: Timestamp, forgotten: Timestamp, interval: Duration,
    state: State = .pending, decider: UserID? = nil
  ) {
    self.id = id
    self.deviceCodeHash = deviceCodeHash
    self.userCodeHash = userCodeHash
    self.request = request
    self.requested = requested
    self.expires = expires
    self.forgotten = forgotten
    self.interval = interval
    self.state = state
    self.decider = decider
  }
}

/// Read access to device grants. Part of ``StoreReading``.
package protocol DeviceGrantReading: AnyObject {
  func deviceGrant(deviceCodeHash hash: [UInt8]) throws -> DeviceGrant?
  func deviceGrant(userCodeHash hash: [UInt8]) throws -> DeviceGrant?
  /// Returns the number of grants, in any state.
  func deviceGrantCount() throws -> Int
  /// Returns the pending grants of a site that have not expired at `now`, by their ids.
  func pendingDeviceGrants(ofSite site: String, at now: Timestamp) throws -> [DeviceGrant]
  /// Returns the grant that another one replaces.
  ///
  /// It belongs to a site that has the most grants of all. Among the grants of these sites, it is the
  /// one with the lowest id that is not approved, or with the lowest id if all are approved.
  func replaceableDeviceGrant() throws -> DeviceGrantID?
}

/// Read and write access to device grants, in a transaction. Part of ``StoreTransaction``.
///
/// Grants belong to no user; see ``WriteScope``.
package protocol DeviceGrantRecords: DeviceGrantReading {
  /// Stores a grant. Both of its hashes must be unused.
  func insert(_ grant: DeviceGrant) throws
  /// Changes the state of a grant, if it has the expected one and no other user decided on it.
  ///
  /// The condition is checked at the moment of the change. Of several transactions with the same
  /// expected state, one changes the grant.
  ///
  /// - Parameter user: the user who decides, or whose device receives its token.
  /// - Returns: whether the grant was changed.
  func changeDeviceGrant(
    _ id: DeviceGrantID, from expected: DeviceGrant.State, to state: DeviceGrant.State,
    by user: UserID
  ) throws -> Bool
  /// Raises the interval of a grant, unless it is already as long.
  func raiseInterval(ofDeviceGrant id: DeviceGrantID, to interval: Duration) throws
  func removeDeviceGrant(_ id: DeviceGrantID) throws
  /// Removes at most `limit` grants that are forgotten by `now`, and returns their number.
  func removeDeviceGrants(forgottenBy now: Timestamp, limit: Int) throws -> Int
}
