import BellhopCache
import BellhopModel
import Testing

extension TwinTests {
  /// The groups that random items and rules name.
  var groups: [TrayGroup] {
    ["ci", "nas", "shop"].flatMap { app in
      ["a", "b", "none"].compactMap { TrayGroup(app: app, name: $0) }
    }
  }

  /// The tray with its groups folded, as text lines.
  func foldedView(_ reader: any CacheReading) throws -> [String] {
    let units = try reader.trayUnits(.first, limit: 1000)
    var lines = units.map { "unit \($0)" }
    for group in groups { lines.append("\(try reader.trayGroup(group) as Any)") }
    let items = units.reduce(0) { $0 + ($1.group?.tray.count ?? 1) }
    #expect(try reader.totals().tray.count == items)
    #expect(try reader.trayUnits(.last, limit: 3) == Array(units.suffix(3)))
    for (index, unit) in units.enumerated() {
      let here = unit.newest.position(in: .tray)
      #expect(
        try reader.trayUnits(.below(here), limit: 2) == Array(units.dropFirst(index + 1).prefix(2)))
      #expect(
        try reader.trayUnits(.above(here), limit: 2) == Array(units.prefix(index).suffix(2)))
      let above = units.prefix(index).reduce(0) { $0 + ($1.group?.tray.count ?? 1) }
      #expect(try reader.trayItems(aboveUnitAt: here.key, limit: 1000) == above)
      lines.append("\(try reader.trayItems(aboveUnitAt: here.key, limit: 2) as Any)")
      if let group = unit.group {
        let members = try reader.rows(of: .trayGroup(group.group), .first, limit: 1000)
        #expect(members.first == group.first)
        #expect(members.max { $0.key < $1.key } == unit.newest)
        #expect(members.count == group.tray.count)
      }
    }
    return lines
  }
}
