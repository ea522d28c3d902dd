import BellhopTestSupport
import Foundation
import Glibc

/// The effects of a power cut on files.
extension FaultyDisk {
  /// One entry of the log of a file: `struct entry` in `disk.c`.
  private struct Entry {
    var offset: Int64
    var sizeBefore: Int64
    var truncatedTo: Int64?
    var old: [UInt8]
    var new: [UInt8]
  }

  /// The amount of unsynced data that is on the disk all the same.
  enum Survival: CaseIterable {
    case nothing
    /// A part, in no order, as disks write.
    case some
    /// The first part, with the last write torn.
    case beginning
  }

  /// Drops unsynced data. All processes that wrote to the disk must have been killed.
  ///
  /// - Returns: The number of writes that were not synced.
  @discardableResult
  func losePower(_ survival: Survival, _ random: inout SeededRandom) throws -> Int {
    var lost = 0
    for file in try files() {
      let log = "\(folder)/../unsynced/\(file.number)"
      guard let data = try? Data(contentsOf: URL(filePath: log)) else { continue }
      let entries = Self.entries(Array(data))
      lost += entries.count
      let descriptor = open(file.path, O_RDWR | O_CLOEXEC)
      defer { close(descriptor) }
      for entry in entries.reversed() { Self.undo(entry, descriptor) }
      for entry in Self.surviving(entries, survival, &random) { Self.redo(entry, descriptor) }
      unlink(log)
    }
    // The index of a write-ahead log is memory.
    for file in try files() where file.path.hasSuffix("-shm") { unlink(file.path) }
    return lost
  }

  /// The size of the log of unsynced writes.
  var unsyncedBytes: Int {
    get throws {
      let logs = URL(filePath: folder + "/../unsynced")
      return try FileManager.default.contentsOfDirectory(
        at: logs, includingPropertiesForKeys: [.fileSizeKey]
      ).reduce(0) { try $0 + ($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
    }
  }

  private func files() throws -> [(path: String, number: UInt64)] {
    // In a fixed order, so that a seed gives the same run.
    try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().compactMap { name in
      let path = folder + "/" + name
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { return nil }
      return (attributes[.systemFileNumber] as? NSNumber).map { (path, $0.uint64Value) }
    }
  }

  /// The entries of a log, without an incomplete one at the end.
  private static func entries(_ bytes: [UInt8]) -> [Entry] {
    var entries: [Entry] = []
    var place = 0
    while place + 40 <= bytes.count {
      let numbers = bytes[place..<place + 40].withUnsafeBytes {
        Array($0.bindMemory(to: Int64.self))
      }
      let old = place + 40
      let (new, end) = (old + Int(numbers[2]), old + Int(numbers[2] + numbers[3]))
      guard end <= bytes.count else { break }
      entries.append(
        Entry(
          offset: numbers[0], sizeBefore: numbers[1],
          truncatedTo: numbers[4] < 0 ? nil : numbers[4], old: Array(bytes[old..<new]),
          new: Array(bytes[new..<end])))
      place = end
    }
    return entries
  }

  private static func surviving(
    _ entries: [Entry], _ survival: Survival, _ random: inout SeededRandom
  ) -> [Entry] {
    switch survival {
    case .nothing: return []
    case .some: return entries.filter { _ in Bool.random(using: &random) }
    case .beginning:
      var kept = Array(entries.prefix(Int.random(in: 0...entries.count, using: &random)))
      if var last = kept.popLast() {
        // Disks write sectors of 512 bytes whole.
        let sectors = Int.random(in: 0...last.new.count / 512, using: &random)
        if last.truncatedTo == nil { last.new = Array(last.new.prefix(sectors * 512)) }
        kept.append(last)
      }
      return kept
    }
  }

  private static func undo(_ entry: Entry, _ descriptor: Int32) {
    pwrite(descriptor, entry.old, entry.old.count, off_t(entry.offset))
    if entry.truncatedTo != nil || entry.offset + Int64(entry.new.count) > entry.sizeBefore {
      ftruncate(descriptor, off_t(entry.sizeBefore))
    }
  }

  private static func redo(_ entry: Entry, _ descriptor: Int32) {
    if let size = entry.truncatedTo {
      ftruncate(descriptor, off_t(size))
    } else {
      pwrite(descriptor, entry.new, entry.new.count, off_t(entry.offset))
    }
  }
}
