public import BellhopModel
public import BellhopText

/// What came, from whom, and how synchronisation goes.
public struct ActivityReport: Hashable, Sendable {
  /// What one app sent in the time.
  public struct App: Hashable, Sendable {
    public var name: SafeText
    public var count: Int

    public init(name: SafeText, count: Int) {
      self.name = name
      self.count = count
    }
  }

  /// Something that happened between this device and a store.
  public struct Note: Hashable, Sendable {
    public var at: Timestamp
    public var text: SafeText
    public var isProblem: Bool

    public init(at: Timestamp, text: SafeText, isProblem: Bool = false) {
      self.at = at
      self.text = text
      self.isProblem = isProblem
    }
  }

  /// Arrivals in each hour, the present one last.
  public var hours: [Int]
  /// Who sent most, first; ``appsMax`` at most.
  public var apps: [App]
  /// The newest first; ``notesMax`` at most.
  public var notes: [Note]
  /// Changes that wait, in words, the oldest first; ``waitingMax`` at most.
  public var waiting: [SafeText]
  /// All that wait.
  public var waitingCount: Int

  public static let appsMax = 20
  public static let notesMax = 100
  public static let waitingMax = 50

  public init(
    hours: [Int], apps: [App], notes: [Note], waiting: [SafeText], waitingCount: Int
  ) {
    self.hours = hours
    self.apps = apps
    self.notes = notes
    self.waiting = waiting
    self.waitingCount = waitingCount
  }
}
