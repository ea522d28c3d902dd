internal import BellhopCache
package import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopText

extension Commands {
  /// `bellhop logout`.
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
        next: "Nothing was removed. bellhop sync sends them; --force gives them up.")
    }
    let lock = EngineLock(path: context.directories.lockPath(account.name))
    guard (try? lock.tryLock()) != false else {
      throw ClientError(
        .tryLater, "A screen of the account \(account.name) is open.",
        next: "Nothing was removed. Quit it first.")
    }
    defer { lock.unlock() }
    if !account.isPrivate { try Directories.checkSafety(ofStoreAt: account.url) }
    let isTold = account.isPrivate || signOut(account, context)
    try context.accounts.remove(account.name)
    StandardError.say("The account \(account.name) and its cache are removed from this device.")
    if !isTold {
      StandardError.say(
        "The store could not be told, so the token still holds there. Where you are signed in: "
          + "bellhop devices revoke \(account.device)")
    }
  }

  /// How long the store may take to hear of a device that leaves.
  private static let signOutLimit: Duration = .seconds(5)

  /// Tells the store that the token is not needed any more.
  ///
  /// - Returns: whether it is sure that the token holds no longer.
  private static func signOut(_ account: Account, _ context: ClientContext) -> Bool {
    let isTold = try? runBlocking {
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
    return isTold ?? false
  }
}
