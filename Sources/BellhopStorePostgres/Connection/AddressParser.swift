#if BELLHOP_POSTGRES
internal import CPostgres

/// Reads the address of a database, whose form is libpq's.
enum AddressParser {
  /// Returns libpq's keywords that the address sets, with their values.
  ///
  /// libpq's own message would repeat parts of the address, which may be a password.
  static func keywords(of address: String) throws(PostgresError) -> [String: String] {
    guard address.hasPrefix("postgres://") || address.hasPrefix("postgresql://") else {
      throw .invalidAddress(reason: "it does not begin with postgres://")
    }
    var message: UnsafeMutablePointer<CChar>?
    let options = PQconninfoParse(address, &message)
    defer {
      PQfreemem(message)
      PQconninfoFree(options)
    }
    guard let options else {
      throw .invalidAddress(reason: "a part of it is malformed or unknown")
    }
    return values(of: options)
  }

  /// Returns the keywords of an option list that have a value.
  static func values(of options: UnsafePointer<PQconninfoOption>) -> [String: String] {
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val, value.pointee != 0 {
        values[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
    return values
  }

  static func takeHosts(
    from keywords: inout [String: String], environment: (String) -> String?
  ) throws(PostgresError) -> [PostgresSettings.Host] {
    // Would lead elsewhere than the name whose certificate, or whose absence of one, is accepted.
    guard keywords["hostaddr"] == nil, environment("PGHOSTADDR") == nil else {
      throw .invalidAddress(reason: "hostaddr and PGHOSTADDR are not supported")
    }
    let list = keywords.removeValue(forKey: "host") ?? environment("PGHOST") ?? ""
    if list.isEmpty, keywords["service"] != nil || environment("PGSERVICE") != nil {
      throw .invalidAddress(reason: "a service needs the host in the address")
    }
    let names = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let ports = keywords.removeValue(forKey: "port")?
      .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard let ports else { return names.map { PostgresSettings.Host(name: $0) } }
    guard ports.count == 1 || ports.count == names.count,
      ports.allSatisfy({ $0.isEmpty || UInt16($0) != nil })
    else { throw .invalidAddress(reason: "the ports do not fit the hosts") }
    return names.indices.map { index in
      let port = ports[ports.count == 1 ? 0 : index]
      return PostgresSettings.Host(name: names[index], port: port.isEmpty ? nil : port)
    }
  }

  static func takeTarget(
    from keywords: inout [String: String]
  ) throws(PostgresError) -> PostgresSettings.Target {
    guard let text = keywords.removeValue(forKey: "target_session_attrs") else {
      return .readWrite
    }
    guard let target = PostgresSettings.Target(rawValue: text) else {
      throw .invalidAddress(reason: "target_session_attrs is neither any nor read-write")
    }
    return target
  }
}
#endif
