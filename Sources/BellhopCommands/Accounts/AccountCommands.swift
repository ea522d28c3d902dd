internal import BellhopCache
package import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopText

extension Commands {
  /// Runs `bellhop logout`.
  package static func logout(_ context: ClientContext, isForced: Bool) throws {
    guard let account = try context.accounts.current(named: context.accountName) else {
      throw ClientError(.usage, "There is no account on this device.")
    }
    let access = CacheAccess(context, account: account)
    if !isForced, let waiting = try? access.reader().outboxCounts().unsent, waiting > 0 {
      throw ClientError(
        .tryLater,
        waiting.counted("change of \(account.name) was", "changes of \(account.name) were")
          + " not sent yet.",
        next: "Nothing was removed. bellhop sync sends them; --force discards them.")
    }
    let lock = EngineLock(path: context.directories.lockPath(account.name))
    guard (try? lock.tryLock()) != false else {
      throw ClientError(
        .tryLater, "A screen of the account \(account.name) is open.",
        next: "Nothing was removed. Quit it first.")
    }
    defer { lock.unlock() }
    if !account.isPrivate { try Directories.checkSafety(ofStoreAt: account.url) }
    let isSignedOut = account.isPrivate || signOut(account, context)
    try context.accounts.remove(account.name)
    StandardError.say("Removed the account \(account.name) and its cache from this device.")
    if !isSignedOut {
      StandardError.say(
        "The store did not confirm the sign-out, so the token may still be valid. Revoke it on "
          + "another device: bellhop devices revoke \(account.device)")
    }
  }

  /// The longest wait for the store when this device signs out.
  private static let signOutLimit: Duration = .seconds(5)

  /// Revokes the token at the store.
  ///
  /// - Returns: Whether the token is certain to be invalid now.
  private static func signOut(_ account: Account, _ context: ClientContext) -> Bool {
    let isSignedOut = try? runBlocking {
      let transport = try EngineSetup.transport(for: account, context: context)
      return await withTaskGroup(of: Bool.self) { group in
        group.addTask {
          do throws(TransportError) {
            try await transport.revokeDevice(account.device)
            return true
          } catch {
            return error.endsSignIn
          }
        }
        group.addTask {
          try? await ContinuousClock().sleep(for: signOutLimit)
          return false
        }
        defer { group.cancelAll() }
        return await group.next() ?? false
      }
    }
    return isSignedOut ?? false
  }
}
