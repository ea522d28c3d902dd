#if BELLHOP_POSTGRES
import BellhopModel
import BellhopStore
import BellhopStorePostgres

/// The script of `pgbench` for one publication, made of the statements that the store has sent for one.
///
/// So both send the same statements with the same values, in the same batches: what the store sends
/// together is a pipeline here. Only the user, the numbers and the ids differ: they are new in each
/// transaction, as in the store. The store may commit several publications of a user at once; `pgbench`
/// never does.
///
/// `NULL` is written into the statement, because a variable of `pgbench` is never `NULL`. The messages
/// between the processes of the store are left out: many publications share one.
struct PublicationScript {
  /// The most clients whose numbers are apart.
  private static let clientsMax = 1000
  /// The most transactions of a client in one run.
  private static let transactionsMax = 10_000_000
  /// The distance between the numbers of two runs.
  private static let runNumbers = Int64(clientsMax) * Int64(transactionsMax)

  /// The content of the script.
  private(set) var text: String
  /// The values of its variables, by their names.
  private(set) var variables: [(name: String, value: String)] = []
  /// The number of statements, and of batches that wait for their answers.
  private(set) var statementCount = 0
  private(set) var batchCount = 0

  /// Makes the script.
  ///
  /// - Parameters:
  ///   - sessions: The recorded steps of one publication: the look-up of its token, then the write.
  ///   - item: The item that was published, whose numbers and id are replaced.
  init(_ sessions: [[StatementStep]], publishing item: UserNotification, of user: UserID) {
    // Numbers beyond those of other rows: the store's own, and those of an earlier run.
    text = """
      \\set user :first + :client_id % :users
      \\set turn :turn + 1
      \\set number :base + :client_id * \(Self.transactionsMax) + :turn

      """
    for session in sessions {
      var batch: [String] = []
      for step in session {
        switch step {
        case .statement(let sql, let values):
          statementCount += 1
          batch.append(statement(sql, values, item, user))
        case .end:
          guard !batch.isEmpty else { continue }
          batchCount += 1
          // A statement outside of a pipeline is a batch of its own.
          text +=
            batch.count == 1
            ? batch[0] : "\\startpipeline\n" + batch.joined() + "\\endpipeline\n"
          batch = []
        }
      }
    }
  }

  /// Returns the arguments of `pgbench` that set the variables.
  ///
  /// - Parameters:
  ///   - first: The first of the users, whose ids follow each other.
  ///   - run: The number of the run, so that no run repeats the numbers of another.
  func arguments(first: UserID, users: Int, run: Int) -> [String] {
    let base = Int64(run + 1) * Self.runNumbers
    let own = [
      ("first", "\(first.rawValue)"), ("users", "\(users)"), ("turn", "0"), ("base", "\(base)"),
    ]
    return (own + variables.map { ($0.name, $0.value) }).flatMap { ["-D", "\($0.0)=\($0.1)"] }
  }

  /// Returns a statement with variables for its parameters.
  private mutating func statement(
    _ sql: String, _ values: [PostgresValue], _ item: UserNotification, _ user: UserID
  ) -> String {
    let isCounterUpdate = sql.hasPrefix("UPDATE users")
    var text = ""
    var rest = sql[...]
    while let place = rest.firstIndex(of: "$") {
      text += rest[..<place]
      rest = rest[place...].dropFirst()
      let digits = rest.prefix { $0.isNumber }
      guard let number = Int(digits), values.indices.contains(number - 1) else {
        text += "$"
        continue
      }
      rest = rest.dropFirst(digits.count)
      let value = values[number - 1]
      if number == 1, value == .integer(user.rawValue) {
        text += ":user::int8"
      } else {
        text += expression(value, item, replacesMark: isCounterUpdate)
      }
    }
    return text + String(rest) + ";\n"
  }

  private mutating func expression(
    _ value: PostgresValue, _ item: UserNotification, replacesMark: Bool
  ) -> String {
    if value == .integer(item.state.sequence.rawValue) || value == .integer(item.shortNumber) {
      return ":number::int8"
    }
    if value == .bytes(item.id.bytes) {
      return "(int8send(:user::int8) || int8send(:number::int8))"
    }
    if replacesMark, case .bytes(let bytes?) = value, bytes.count == 8 {
      return "int8send(:number::int8)"
    }
    // pgbench does not accept an empty text as a variable either.
    guard let input = value.inputText, !input.isEmpty else { return value.literal }
    if let known = variables.first(where: { $0.value == input }) {
      return ":\(known.name)::\(value.typeName)"
    }
    let name = "v\(variables.count)"
    variables.append((name: name, value: input))
    return ":\(name)::\(value.typeName)"
  }
}
#endif
