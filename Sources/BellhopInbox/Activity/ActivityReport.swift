package import BellhopModel
package import BellhopText

/// Recent arrivals by app, and the state of synchronisation.
package struct ActivityReport: Hashable, Sendable {
  /// The number of items that one app sent in the period.
  package struct App: Hashable, Sendable {
    package var name: SafeText
    package var count: Int

    package init(name: SafeText, count: Int) {
      self.name = name
      self.count = count
    }
  }

  /// An event between this device and a store.
  package struct Note: Hashable, Sendable {
    package var at: Timestamp
    package var text: SafeText
    package var isProblem: Bool

    package init(at: Timestamp, text: SafeText, isProblem: Bool = false) {
      self.at = at
      self.text = text
      self.isProblem = isProblem
    }
  }

  /// Arrivals in each hour, the current one last.
  package var hours: [Int]
  /// The apps, most active first; ``appsMax`` at most.
  package var apps: [App]
  /// The events, newest first; ``notesMax`` at most.
  package var notes: [Note]
  /// Waiting changes in words, oldest first; ``waitingMax`` at most.
  package var waiting: [PrivateText]
  /// The number of all waiting changes.
  package var waitingCount: Int

  package static let appsMax = 20
  package static let notesMax = 100
  package static let waitingMax = 50

  package init(
    hours: [Int], apps: [App], notes: [Note], waiting: [PrivateText], waitingCount: Int
  ) {
    self.hours = hours
    self.apps = apps
    self.notes = notes
    self.waiting = waiting
    self.waitingCount = waitingCount
  }
}
