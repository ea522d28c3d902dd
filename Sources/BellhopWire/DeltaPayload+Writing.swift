internal import BellhopModel

extension DeltaPayload: QuickCodable {
  func write(into json: inout QuickWriter) throws(WireError) {
    json.reserve(512 * (changes.count + 1))
    json.raw("{\"@bellhop.sequence\":")
    json.number(sequence.rawValue)
    json.raw(",\"@bellhop.epoch\":")
    json.string(epoch.rawValue)
    if let itemCount {
      json.raw(",\"@bellhop.itemCount\":")
      json.number(Int64(itemCount))
    }
    if let validThrough {
      json.raw(",\"@bellhop.validThrough\":")
      json.number(validThrough.rawValue)
    }
    if let started {
      json.raw(",\"@bellhop.startLink\":")
      json.string(linkBase + Route.deltaSince(started).path)
    }
    switch end {
    case .next(let page):
      json.raw(",\"@odata.nextLink\":")
      json.string(linkBase + Route.deltaPage(page).path)
    case .complete(let token):
      json.raw(",\"@odata.deltaLink\":")
      json.string(linkBase + Route.deltaSince(token).path)
    }
    let apps = apps
    if !apps.isEmpty {
      json.raw(",\"@bellhop.apps\":")
      json.raw(try WireJSON.encode(apps))
    }
    let rules = changes.compactMap(RuleRow.init)
    if !rules.isEmpty {
      json.raw(",\"@bellhop.rules\":")
      json.raw(try WireJSON.encode(rules))
    }
    json.raw(",\"value\":[")
    var isFirst = true
    for change in changes where change.id != nil {
      if !isFirst { json.raw(",") }
      isFirst = false
      try json.change(change)
    }
    json.raw("]}")
  }
}

extension QuickWriter {
  fileprivate mutating func change(_ change: Change) throws(WireError) {
    switch change {
    case .item(let item): try self.item(item)
    case .state(let id, let state):
      tag(state)
      self.id(id)
      try self.state(state)
      raw("}")
    case .removed(let id, let sequence):
      raw("{\"id\":")
      self.id(id)
      raw(",\"sequence\":")
      number(sequence.rawValue)
      raw(",\"@removed\":{\"reason\":\"deleted\"}}")
    case .app, .rule, .ruleRemoved: return
    }
  }
}

extension SignalPayload: QuickEncodable {
  func write(into json: inout QuickWriter) throws(WireError) {
    json.raw("{\"epoch\":")
    json.string(epoch.rawValue)
    json.raw(",\"sequence\":")
    json.number(sequence.rawValue)
    if let resourceData {
      json.raw(",\"resourceData\":{\"since\":")
      json.string(resourceData.since.rawValue)
      json.raw(",\"delta\":")
      try resourceData.delta.write(into: &json)
      json.raw("}")
    }
    json.raw("}")
  }
}
