package import BellhopModel
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A resolver of host names that uses the system's resolver on behalf of several owners.
///
/// The system call blocks a thread and cannot be interrupted. A slow DNS server keeps the thread
/// busy even after the caller has given up. So each owner has one lookup at a time, including those
/// that its callers have abandoned: one user's slow names delay no other user (SECURITY-6).
package final class NameLookup: Sendable {
  /// The maximum number of lookups that block a thread at the same time.
  package static let runningMax = 16

  private struct Lookup: Sendable {
    var host: String
    var owner: Int64
    var answer: Answer
  }

  private struct State {
    /// The owners with a lookup that blocks a thread.
    var owners: Set<Int64> = []
    /// The queued lookups, in order of arrival. The callers' own limits bound them.
    var waiting: [Lookup] = []

    /// Removes and returns the first lookup that can start, and drops cancelled ones.
    mutating func takeNext() -> Lookup? {
      waiting.removeAll { $0.answer.isGiven }
      guard owners.count < NameLookup.runningMax,
        let place = waiting.firstIndex(where: { !owners.contains($0.owner) })
      else { return nil }
      owners.insert(waiting[place].owner)
      return waiting.remove(at: place)
    }
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "bellhop.names", attributes: .concurrent)
  private let lookUp: @Sendable (_ host: String) -> [IPAddress]

  /// - Parameter lookUp: Blocks until it has the addresses. Defaults to the system call.
  package init(_ lookUp: (@Sendable (_ host: String) -> [IPAddress])? = nil) {
    self.lookUp = lookUp ?? { Self.systemAddresses(of: $0) }
  }

  /// Returns a host's addresses in the system's order of preference; none for an unknown host.
  ///
  /// Waits while an earlier lookup of the owner runs. Cancelling the task returns at once: a
  /// running lookup runs to its end, and a queued one never starts.
  /// - Throws: `CancellationError`.
  package func addresses(of host: String, for owner: Int64) async throws -> [IPAddress] {
    if let address = IPAddress(host) { return [address] }
    let answer = Answer()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        answer.expect(continuation)
        begin(
          state.withLock { state in
            state.waiting.append(Lookup(host: host, owner: owner, answer: answer))
            return state.takeNext()
          })
      }
    } onCancel: {
      answer.give(.failure(CancellationError()))
    }
  }

  private func begin(_ lookup: Lookup?) {
    guard let lookup else { return }
    queue.async { [self] in
      lookup.answer.give(.success(lookUp(lookup.host)))
      begin(
        state.withLock { state in
          state.owners.remove(lookup.owner)
          return state.takeNext()
        })
    }
  }

  private static func systemAddresses(of host: String) -> [IPAddress] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [IPAddress] = []
    var entry = list
    while let pointer = entry {
      if let address = address(pointer.pointee), !addresses.contains(address) {
        addresses.append(address)
      }
      entry = pointer.pointee.ai_next
    }
    return addresses
  }

  private static func address(_ entry: addrinfo) -> IPAddress? {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard
      getnameinfo(
        entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
    else { return nil }
    let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    // A link-local address may be followed by its interface's name.
    return IPAddress(String(decoding: bytes.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self))
  }

  /// The result of a lookup, which resumes its continuation once, with the first value.
  private final class Answer: Sendable {
    private enum State {
      case early
      case waiting(CheckedContinuation<[IPAddress], any Error>)
      case given(Result<[IPAddress], any Error>)
    }

    private let state = Mutex(State.early)

    var isGiven: Bool {
      state.withLock { if case .given = $0 { true } else { false } }
    }

    func expect(_ continuation: CheckedContinuation<[IPAddress], any Error>) {
      let known = state.withLock { state -> Result<[IPAddress], any Error>? in
        if case .given(let result) = state { return result }
        state = .waiting(continuation)
        return nil
      }
      if let known { continuation.resume(with: known) }
    }

    func give(_ result: Result<[IPAddress], any Error>) {
      let waiting = state.withLock { state -> CheckedContinuation<[IPAddress], any Error>? in
        defer { if case .given = state {} else { state = .given(result) } }
        if case .waiting(let continuation) = state { return continuation }
        return nil
      }
      waiting?.resume(with: result)
    }
  }
}
