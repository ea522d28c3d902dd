extension OperationResult {
  /// The result as three columns of a database, of a store and of a cache alike.
  package var column: (kind: String, latest: Timestamp?, reason: String?) {
    switch self {
    case .applied: ("applied", nil, nil)
    case .alreadyApplied: ("alreadyApplied", nil, nil)
    case .superseded: ("superseded", nil, nil)
    case .gone: ("gone", nil, nil)
    case .refused(let latest): ("refused", latest, nil)
    case .unacceptable(let fault): (fault.rawValue, nil, nil)
    case .outcomeUnknown: ("outcomeUnknown", nil, nil)
    case .notPublished(let reason): ("notPublished", nil, reason)
    }
  }

  /// Returns nil for columns that contain no result, or one of a newer version.
  package init?(kind: String, latest: Timestamp?, reason: String? = nil) {
    switch (kind, latest) {
    case ("applied", _): self = .applied
    case ("alreadyApplied", _): self = .alreadyApplied
    case ("superseded", _): self = .superseded
    case ("gone", _): self = .gone
    case ("refused", let latest?): self = .refused(latest: latest)
    case ("outcomeUnknown", _): self = .outcomeUnknown
    case ("notPublished", _): self = .notPublished(reason ?? "")
    default:  // open: (String, Timestamp?)
      guard let fault = AppSettingsError(rawValue: kind) else { return nil }
      self = .unacceptable(fault)
    }
  }
}
