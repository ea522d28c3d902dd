import BellhopTestSupport
import Glibc

/// A fault of a disk in one round of a test.
struct DiskTrouble: Sendable, CustomStringConvertible {
  var operations: FaultyDisk.Operations
  /// The error of the failing operations; nil for a power cut at that operation.
  var code: Int32?
  /// The first operation that fails, and how many do.
  var first: Int
  var count: Int
  /// Whether the power is cut at the end, and how much unsynced data survives.
  var cut: FaultyDisk.Survival?

  var description: String {
    let what = code.map(systemMessage) ?? "power cut"
    let rest = cut.map { ", then the power is cut and \($0) of the rest survives" } ?? ""
    return "\(what) at operation \(first) of kind \(operations.rawValue), \(count) times\(rest)"
  }

  /// A random fault, up to the operation `last`.
  static func any(upTo last: Int, _ random: inout SeededRandom) -> DiskTrouble {
    let first = Int.random(in: 1...last, using: &random)
    let count = Int.random(in: 1...4, using: &random)
    let cut = FaultyDisk.Survival.allCases.randomElement(using: &random)
    func trouble(
      _ operations: FaultyDisk.Operations, _ code: Int32?, _ count: Int,
      _ cut: FaultyDisk.Survival? = nil
    ) -> DiskTrouble {
      DiskTrouble(operations: operations, code: code, first: first, count: count, cut: cut)
    }
    return switch Int.random(in: 0...7, using: &random) {
    case 0: trouble(.writes, EIO, count)
    case 1: trouble(.syncs, EIO, count)
    case 2: trouble([.writes, .truncations], ENOSPC, count * 8)
    case 3: trouble(.reads, EIO, count)
    case 4: trouble(.changes, EIO, .max / 2, cut)
    default: trouble(.changes, nil, 1, cut)
    }
  }
}
