internal import BellhopModel

// Several processes may serve one storage. After each commit, a service signals to its own readers
// first, and then tells the other processes.

extension StoreService {
  /// Whether other processes serve the same storage.
  package var hasPeers: Bool { peers != nil }

  // MARK: - After commits

  /// Signals a change of a user's items to all readers, in this process and the others.
  ///
  /// - Parameter sequence: Nil if nothing changed.
  func raise(_ sequence: SequenceNumber?, for user: UserID, by device: DeviceID? = nil) {
    guard let sequence else { return }
    let life = DataLife(logic.identity)
    signal(Signal(epoch: life.epoch, sequence: sequence), for: user, by: device)
    backlogSource.yield()
    peers?.channel.send(
      .items(ItemsChange(user: user, sequence: sequence, device: device, life: life)))
  }

  /// Ends streams in all processes.
  func endStreams(_ access: EndedAccess) {
    hub.disconnect(access)
    peers?.channel.send(.ended(access))
  }

  /// Lets the hooks of all processes read a user's subscriptions again.
  func noteSubscriptions(of user: UserID) {
    changedUsers.note(subscriptions: user)
    peers?.channel.send(.subscriptions(user))
  }

  /// Signals a change to the readers in this process.
  private func signal(_ signal: Signal, for user: UserID, by device: DeviceID? = nil) {
    if hub.raise(signal, for: user, by: device) {
      Task { await encloseChanges(for: user) }
    }
  }

  // MARK: - From other processes

  /// Passes an event of another process on to the readers in this one. It sends nothing.
  func receive(_ event: PeerEvent) {
    guard let peers else { return }
    switch event {
    case .message(.items(let change)):
      if peers.note(messageIn: change.life) {
        signal(
          Signal(epoch: change.life.epoch, sequence: change.sequence), for: change.user,
          by: change.device)
      } else {
        // Data went back in a failover: the storage is the one to ask.
        changedUsers.note(items: change.user)
        peers.noteLoss()
      }
    case .message(.subscriptions(let user)):
      _ = peers.note(messageIn: nil)
      changedUsers.note(subscriptions: user)
    case .message(.ended(let access)):
      _ = peers.note(messageIn: nil)
      hub.disconnect(access)
    case .mayHaveLost: peers.noteLoss()
    }
  }

  // MARK: - Repair

  /// The longest time between two comparisons of sequences; the shortest is half of it.
  private static let comparisonInterval = Duration.seconds(30)
  /// The interval at which the tokens of open streams are checked.
  private static let tokenCheckInterval = Duration.seconds(5)
  /// The shortest time between two comparisons after possible losses, or after a failed one.
  ///
  /// A peer of another version may cause one with each of its messages.
  private static let lossInterval = Duration.seconds(5)

  /// Repairs what lost messages of other processes leave undone, until the task is cancelled.
  ///
  /// It compares the sequences that open streams know with the storage, after each possible loss
  /// and regularly. It ends the streams whose tokens are not valid, so that a lost revocation takes
  /// effect within seconds. It returns at once if there are no other processes. Call it once.
  ///
  /// - Parameter sleep: Waits for a duration; throws when the task is cancelled.
  package func followPeers(
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) async {
    guard let peers else { return }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        for await _ in peers.losses {
          if await !repairLosses() { peers.noteLoss() }
          guard await isOver(Self.lossInterval, sleep) else { return }
        }
      }
      group.addTask { [self] in
        while await isOver(jittered(Self.comparisonInterval), sleep) {
          let hasMessages = peers.takeMessages()
          let missed = (try? await compareSequences()) ?? 0
          // Changes without any message: the channel may be connected to a host that is not used.
          if missed > 0, !hasMessages { peers.channel.reconnect() }
        }
      }
      group.addTask { [self] in
        while await isOver(Self.tokenCheckInterval, sleep) { try? await checkTokens() }
      }
    }
  }

  /// Waits; returns whether the pause is over and the task was not cancelled.
  private func isOver(
    _ pause: Duration, _ sleep: @Sendable (Duration) async throws -> Void
  ) async -> Bool {
    do { try await sleep(pause) } catch { return false }
    return !Task.isCancelled
  }

  /// Compares all open streams with the storage, and lets hooks and deferred work be checked.
  ///
  /// - Returns: False if the storage did not answer.
  private func repairLosses() async -> Bool {
    changedUsers.noteLoss()
    // A process that is gone may have left work behind.
    backlogSource.yield()
    do throws(StoreError) {
      try await compareSequences()
      try await checkTokens()
      return true
    } catch {
      return false
    }
  }

  /// Compares the sequences that open streams know with the storage, and signals higher ones.
  ///
  /// Streams end whose user does not exist, or knows a sequence that the storage does not have: the
  /// data went back. All end if the storage has begun another life of the data. They open again as
  /// after a restart.
  ///
  /// - Returns: The number of users whose streams had missed something.
  @discardableResult
  func compareSequences() async throws(StoreError) -> Int {
    guard let peers, !Mutant.lostNotifyNotRepaired.isOn else { return 0 }
    // Before the read: what a stream knows by now is committed, so that the read sees it.
    let known = hub.knownSequences
    let (life, sequences) = try await read { _, state in
      (try state.dataLife(), try state.sequences(of: known.keys.sorted()))
    }
    guard let life else { return 0 }
    if peers.adopt(life) {
      hub.disconnectAll()
      changedUsers.noteLoss()
      return 0
    }
    var missed = 0
    for (user, range) in known {
      guard let sequence = sequences[user], sequence >= range.upperBound else {
        hub.disconnect(.user(user))
        continue
      }
      guard sequence > range.lowerBound else { continue }
      missed += 1
      signal(Signal(epoch: life.epoch, sequence: sequence), for: user)
    }
    return missed
  }

  /// Ends the open streams whose tokens are not valid.
  func checkTokens() async throws(StoreError) {
    let open = hub.openTokens
    guard !open.isEmpty else { return }
    let holding = try await read { try $1.tokens(among: open, holdingAt: $0.now) }
    for token in open where !holding.contains(token) {
      hub.disconnect(.token(token.id, of: token.user))
    }
  }
}
