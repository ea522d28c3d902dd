package import BellhopModel

extension StoreService {
  /// Returns the answer to an item, as soon as there is one.
  ///
  /// - Parameters:
  ///   - token: the token that published the item.
  ///   - wait: the longest wait; zero for the state as it is.
  /// - Returns: ``ResponseStatus/pending`` at the end of the wait. The item's replacement ends the wait
  ///   with ``ResponseStatus/superseded``, even if it awaits a response too.
  /// - Throws: ``StoreError/notFound(what:)``, ``StoreError/tooManyStreams`` if the token waits for
  ///   too many answers.
  package func response(
    to item: NotificationID, for token: AccessTokenID, of user: UserID, waiting wait: Duration
  ) async throws(StoreError) -> ResponseStatus {
    let first = try await read { try $0.response(to: item, for: token, of: user, in: $1) }
    guard first.status == .pending, wait > .zero else { return first.status }
    let signals = try await signals(
      for: user, with: token, tokenMax: limits.waitsPerTokenMax)
    let status = await withTaskGroup(of: Result<ResponseStatus, StoreError>?.self) { group in
      group.addTask { [self] in
        for await _ in signals {
          do throws(StoreError) {
            let now = try await read { try $0.response(to: item, for: token, of: user, in: $1) }
            if now.contentSequence != first.contentSequence { return .success(.superseded) }
            if now.status != .pending { return .success(now.status) }
          } catch {
            return .failure(error)
          }
        }
        return nil
      }
      group.addTask {
        try? await Task.sleep(for: wait)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    if let status { return try status.get() }
    // The item may have expired during the wait, which changes nothing in the store.
    return try await read { try $0.response(to: item, for: token, of: user, in: $1) }.status
  }
}
