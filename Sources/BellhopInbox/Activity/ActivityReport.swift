package import BellhopModel
package import BellhopText

/// What came, from whom, and how synchronisation goes.
package struct ActivityReport: Hashable, Sendable {
  /// What one app sent in the time.
  package struct App: Hashable, Sendable {
    package var name: SafeText
    package var count: Int

    package init(name: SafeText, count: Int) {
      self.name = name
      self.count = count
    }
  }

  /// Something that happened between this device and a store.
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

  /// Arrivals in each hour, the present one last.
  package var hours: [Int]
  /// Who sent most, first; ``appsMax`` at most.
  package var apps: [App]
  /// The newest first; ``notesMax`` at most.
  package var notes: [Note]
  /// Changes that wait, in words, the oldest first; ``waitingMax`` at most.
  package var waiting: [SafeText]
  /// All that wait.
  package var waitingCount: Int

  package static let appsMax = 20
  package static let notesMax = 100
  package static let waitingMax = 50

  package init(
    hours: [Int], apps: [App], notes: [Note], waiting: [SafeText], waitingCount: Int
  ) {
    self.hours = hours
    self.apps = apps
    self.notes = notes
    self.waiting = waiting
    self.waitingCount = waitingCount
  }
}
