package import BellhopModel

/// Berlin's time zone in 2026, with its clock changes in a fixed table.
package enum BerlinZone {
  /// The time 2026-03-29 01:00 UTC, when clocks go forward.
  package static let summer = Timestamp(seconds: 1_774_746_000)
  /// The time 2026-10-25 01:00 UTC, when they go back.
  package static let winter = Timestamp(seconds: 1_792_890_000)

  package static let rules = ZoneRules(
    offsetSeconds: { $0 >= summer && $0 < winter ? 7200 : 3600 },
    abbreviation: { $0 >= summer && $0 < winter ? "CEST" : "CET" })
}
