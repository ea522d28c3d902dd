/// An error type with a sample of each case.
///
/// The samples form a chain through a switch over all cases, so that a new case without a sample
/// does not compile.
protocol Sampled: Error, Sendable {
  /// Returns the sample after this one: the first after nil, and nil after the last.
  static func sample(after last: Self?) -> Self?
}

extension Sampled {
  static var samples: [Self] {
    var samples: [Self] = []
    while let next = sample(after: samples.last) { samples.append(next) }
    return samples
  }
}
