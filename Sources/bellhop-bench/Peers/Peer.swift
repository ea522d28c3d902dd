/// A program that does the same work as one of our rows, measured beside it in the same run.
///
/// A peer is a type in a file of this folder and a line in ``Peers``. It listens on this machine
/// only and stores its data in the workspace.
protocol Peer<Work, Figures>: AnyObject {
  /// The work of one round.
  associatedtype Work
  /// The results of one round.
  associatedtype Figures

  /// Does the work once.
  ///
  /// - Throws: ``BenchError`` if it fails; the peer then has no figure.
  func measure(_ work: Work) throws -> Figures
  /// Ends the processes that the peer has started.
  func stop()
}

/// The requirements of a peer, and the way to start it.
struct PeerKind<Work, Figures> {
  /// The name of the peer in the table.
  var name: String
  /// The programs that must be installed.
  var needs: [String]
  /// Makes the peer's data, unless an earlier run has done so, and starts the peer.
  var start: (PeerPlace) throws -> any Peer<Work, Figures>
}

/// The workspace of a peer, and the number of items.
struct PeerPlace {
  let workspace: Workspace
  let items: Int

  /// Returns a folder with the same content in every run; `make` fills it the first time.
  ///
  /// - Parameter name: The kind of the content, with its version if that has changed.
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

/// The peers of a row: installed ones run, the others report why they do not.
final class PeerSet<Work, Figures> {
  private struct Entry {
    var name: String
    var peer: (any Peer<Work, Figures>)?
    /// The reason for a missing figure, in a word or two.
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

  /// Measures one round of each peer in turn. A peer that fails is left out from then on.
  ///
  /// - Parameter key: Identifies the work, if there are several kinds.
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

  /// Returns the columns beside our figure.
  ///
  /// - Parameter values: Returns a value for each round.
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
