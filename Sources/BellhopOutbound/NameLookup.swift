package import BellhopModel
internal import Glibc
internal import NIOPosix
internal import Synchronization

/// The system's way from a host's name to its addresses.
package enum NameLookup {
  /// The addresses of a name, as the system prefers them; none for an unknown one.
  ///
  /// The system's call blocks a thread and can't be interrupted; cancelling the task returns at
  /// once and leaves the thread to finish by itself.
  package static func addresses(of host: String) async throws -> [IPAddress] {
    if let address = IPAddress(host) { return [address] }
    let answer = Answer()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        answer.expect(continuation)
        NIOThreadPool.singleton.submit { _ in answer.give(.success(lookUp(host))) }
      }
    } onCancel: {
      answer.give(.failure(CancellationError()))
    }
  }

  private static func lookUp(_ host: String) -> [IPAddress] {
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
    // A link-local address may name its interface after it.
    return IPAddress(String(decoding: bytes.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self))
  }

  /// Resumes whoever waits once, with what comes first.
  private final class Answer: Sendable {
    private enum State {
      case early
      case waiting(CheckedContinuation<[IPAddress], any Error>)
      case given(Result<[IPAddress], any Error>)
    }

    private let state = Mutex(State.early)

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
