internal import BellhopModel

extension DeltaPayload {
  init(from json: inout QuickReader) throws(WireError) {
    var rows: [Change]?
    var apps: [AppSettings] = []
    var rules: [Change] = []
    var sequence: SequenceNumber?
    var epoch: Epoch?
    var validThrough: SequenceNumber?
    var started: DeltaToken?
    var itemCount: Int?
    var end: End?
    try json.object { (name, json) throws(WireError) in
      if name.isEqual(to: "value") {
        rows = try json.all { (json) throws(WireError) in try ItemDraft(&json).change() }
      } else if name.isEqual(to: "@bellhop.apps") {
        apps = try json.all { (json) throws(WireError) in
          try WireJSON.decode(AppSettings.self, from: Array(try json.value()))
        }
      } else if name.isEqual(to: "@bellhop.rules") {
        let known = try json.all { (json) throws(WireError) in try RuleRow.next(in: &json) }
        rules = known.compactMap { $0?.change }
      } else if name.isEqual(to: "@bellhop.sequence") {
        sequence = SequenceNumber(try json.number())
      } else if name.isEqual(to: "@bellhop.epoch") {
        epoch = Epoch(try json.string())
      } else if name.isEqual(to: "@bellhop.itemCount") {
        itemCount = Int(clamping: try json.number())
      } else if name.isEqual(to: "@bellhop.validThrough") {
        validThrough = SequenceNumber(try json.number())
      } else if name.isEqual(to: "@bellhop.startLink") {
        started = DeltaToken(try Self.token("$deltatoken", &json))
      } else if name.isEqual(to: "@odata.nextLink") {
        end = .next(page: try Self.token("$skiptoken", &json))
      } else if name.isEqual(to: "@odata.deltaLink") {
        end = .complete(DeltaToken(try Self.token("$deltatoken", &json)))
      } else {
        _ = try json.value()
      }
    }
    guard let end else {
      throw .invalid(
        field: "@odata.deltaLink", expectation: "@odata.nextLink or @odata.deltaLink")
    }
    self.init(
      changes: Self.changes(
        try rows.required("value"), apps, rules: rules, isFirstSync: started != nil),
      end: end, started: started, sequence: try sequence.required("@bellhop.sequence"),
      epoch: try epoch.required("@bellhop.epoch"), validThrough: validThrough,
      itemCount: itemCount)
  }

  private static func token(
    _ parameter: String, _ json: inout QuickReader
  ) throws(WireError) -> String {
    guard let token = Route.parameter(parameter, of: try json.string()), !token.isEmpty else {
      throw .invalid(field: "", expectation: "a link with \(parameter)")
    }
    return token
  }
}
