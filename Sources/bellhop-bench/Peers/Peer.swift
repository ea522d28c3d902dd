/// A program that does the work of one of our rows, measured beside ours in the same run.
///
/// A peer is a type in a file of this folder and a line in ``Peers``. It listens on this machine only
/// and keeps its data in the workspace.
protocol Peer<Work, Figures>: AnyObject {
  /// What is asked of it in a round.
  associatedtype Work
  /// What a round showed.
  associatedtype Figures

  /// Does the work once.
  ///
  /// - Throws: ``BenchError`` when it cannot; it has no figure then.
  func measure(_ work: Work) throws -> Figures
  /// Ends what it has started.
  func stop()
}

/// How a peer is found and started.
struct PeerKind<Work, Figures> {
  /// As the table says it.
  var name: String
  /// The programs without which there is no figure.
  var needs: [String]
  /// Makes its data, where that is not there from an earlier run, and starts it.
  var start: (PeerPlace) throws -> any Peer<Work, Figures>
}

/// Where a peer runs, over how many items.
struct PeerPlace {
  let workspace: Workspace
  let items: Int

  /// The path of a program that the peer's kind needs.
  func program(_ name: String) throws -> String {
    guard let path = Files.program(name) else { throw BenchError("\(name) is not installed") }
    return path
  }

  /// A folder whose content is the same in every run, made by `make` at the first time.
  ///
  /// - Parameter name: Names the kind of content, and its version where that has changed.
  func kept(_ name: String, _ make: (String) throws -> Void) throws -> String {
    let folder = workspace.root + "/\(name)-\(items)"
    let mark = folder + "/made"
    if Files.exists(mark) { return folder }
    Files.remove(folder)
    try Files.makeFolder(folder)
    Files.say("making \(name) of \(shortCount(items)) items …", to: 2)
    try make(folder)
    try Files.write("", to: mark)
    return folder
  }
}

/// The peers of a row: those that are installed run, the others say why they do not.
final class PeerSet<Work, Figures> {
  private struct Entry {
    var name: String
    var peer: (any Peer<Work, Figures>)?
    /// Why there is no figure, in a word or two.
    var reason = ""
    var rounds: [Int: [Figures]] = [:]
  }

  private var entries: [Entry] = []
  private let report: Report

  init(_ kinds: [PeerKind<Work, Figures>], at place: PeerPlace, report: Report) {
    self.report = report
    for kind in kinds {
      var entry = Entry(name: kind.name)
      if kind.needs.allSatisfy({ Files.program($0) != nil }) {
        do {
          entry.peer = try kind.start(place)
        } catch {
          entry.reason = "not started"
          report.note("\(kind.name): \(error)")
        }
      } else {
        entry.reason = "not installed"
      }
      entries.append(entry)
    }
  }

  deinit { stop() }

  /// One round of each peer in turn. One that fails is left out from then on.
  ///
  /// - Parameter key: Tells apart what is asked, where that is more than one thing.
  func measure(_ work: Work, as key: Int = 0) {
    for index in entries.indices {
      guard let peer = entries[index].peer else { continue }
      do {
        entries[index].rounds[key, default: []].append(try peer.measure(work))
      } catch {
        entries[index].peer = nil
        entries[index].rounds = [:]
        entries[index].reason = "failed"
        report.note("\(entries[index].name): \(error)")
        peer.stop()
      }
    }
  }

  /// What stands beside ours.
  ///
  /// - Parameter values: A value for each round.
  func columns(
    _ key: Int = 0, label: String = "", _ values: ([Figures]) -> [Double]
  ) -> [Line.Peer] {
    entries.map { entry in
      guard let rounds = entry.rounds[key] else {
        return .absent(
          name: entry.name, reason: entry.reason.isEmpty ? "not measured" : entry.reason)
      }
      return .measured(name: entry.name + label, Samples(values(rounds)))
    }
  }

  func stop() {
    for entry in entries { entry.peer?.stop() }
    for index in entries.indices { entries[index].peer = nil }
  }
}
