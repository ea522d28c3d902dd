package import BellhopModel

extension StoreLogic {
  /// Begins a publisher's wait for an answer, or ends the one for the item's earlier content.
  func awaitResponse(
    to item: UserNotification, by publisher: AccessTokenID?, replacing live: UserNotification?,
    of user: UserID, in transaction: any StoreTransaction
  ) throws {
    if item.content.extras.awaitsResponse == true, let publisher {
      let record = try transaction.app(item.content.app, of: user)
      try transaction.put(
        AwaitedResponse(
          item: item.id, token: publisher, contentSequence: item.state.contentSequence,
          expires: endOfStay(
            of: item, in: record ?? AppRecord(app: item.content.app),
            on: try wallClock(for: item.content, of: user, in: transaction))),
        of: user)
    } else if live != nil, var response = try transaction.awaitedResponse(item.id, of: user) {
      response.isSuperseded = true
      try transaction.put(response, of: user)
    }
  }

  /// Records the answer that a device's operation gives to a publisher, if it gives one.
  ///
  /// The first answer stays. An operation that undoes another one, or that brings back an item, is no
  /// answer.
  ///
  /// - Returns: false if the user chose an action of an item that has an answer already. Then the
  ///   operation must change nothing.
  func answer(
    _ item: UserNotification, by operation: Operation, _ author: Author, of user: UserID,
    at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> Bool {
    guard item.content.extras.awaitsResponse == true, author.kind == .device,
      operation.expect == nil, case .set(let change) = operation.mutation,
      let action = try responseAction(to: item, change, of: user, in: transaction),
      var response = try transaction.awaitedResponse(item.id, of: user),
      response.contentSequence == item.state.contentSequence
    else { return true }
    if response.answer != nil, !Mutant.answeredTwice.isOn { return change.choice == nil }
    response.answer = AwaitedResponse.Answer(
      action: action, text: change.choice?.text, at: now)
    try transaction.put(response, of: user)
    return true
  }

  /// Returns the action that a change reports to the publisher; nil if it reports none.
  private func responseAction(
    to item: UserNotification, _ change: StateChange, of user: UserID, in state: any StoreReading
  ) throws -> String? {
    let settings = try state.appState(item.content.app, of: user)?.settings
    let permission = settings?.responses ?? .actions
    if let choice = change.choice { return permission == .none ? nil : choice.id }
    guard permission == .all else { return nil }
    switch change.userActionState {
    case .activated: return AwaitedResponse.Answer.defaultAction
    case .dismissed:
      return settings?.category(of: item)?.has(.customDismissAction) == true
        ? AwaitedResponse.Answer.dismissAction : nil
    case .noInteraction, .snoozed, nil: return nil
    }
  }

  /// Returns the state of a publisher's wait, and the content that it is for.
  ///
  /// - Throws: ``StoreError/notFound(what:)`` for an item that another token published, or that
  ///   awaits no response.
  package func response(
    to item: NotificationID, for token: AccessTokenID, of user: UserID, in state: any StoreReading
  ) throws -> (status: ResponseStatus, contentSequence: SequenceNumber) {
    guard let response = try state.awaitedResponse(item, of: user), response.token == token else {
      throw StoreError.notFound(what: "item that awaits a response to this token")
    }
    return (response.status(at: expiryNow), response.contentSequence)
  }
}
