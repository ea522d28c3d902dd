extension Operation {
  /// Whether the operation may change items that it does not name.
  package var selectsItems: Bool { isBulk || reportsCrossing }

  /// Whether the operation reports the crossing of a place's boundary.
  package var reportsCrossing: Bool { !crossings.isEmpty }

  /// The reports of crossings that the operation makes, by place.
  var crossings: [String: PlaceReport] {
    guard case .configure(let change) = mutation else { return [:] }
    return (change.places ?? [:]).compactMapValues { change in
      guard case .report(let report) = change, report.isCrossing else { return nil }
      return report
    }
  }
}
