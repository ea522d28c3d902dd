package import BellhopModel

extension CacheReader {
  package func noise(since: Timestamp, limit: Int) throws(CacheError) -> NoiseReport {
    try searchConnection().read { statement in
      var tally = NoiseTally()
      // One statement, so that an interrupt ends it at the next row.
      try statement(
        """
        SELECT \(ItemColumns.line), \(ItemColumns.publishedGroup), item.repeat_count
        FROM item NOT INDEXED
        WHERE item.arrival_key >= ? AND \(Placement.listed.condition)
        ORDER BY item.arrival_key DESC
        """
      ).bind(ArrivalKey(floorOf: since)).eachRow { row in
        tally.add(
          try ItemColumns.row(row), group: row.textOrNil(ItemColumns.lineCount),
          repeats: row.count(ItemColumns.lineCount + 1))
      }
      return tally.report(limit: limit)
    }
  }
}

extension MemoryCache {
  package func noise(since: Timestamp, limit: Int) throws(CacheError) -> NoiseReport {
    var tally = NoiseTally()
    let first = ArrivalKey(floorOf: since)
    for record in contents.records where record.isInHistory && record.key >= first {
      tally.add(
        CachedRow(record), group: record.base.content.group,
        repeats: record.base.repeats?.count ?? 0)
    }
    return tally.report(limit: limit)
  }
}
