#if BELLHOP_POSTGRES
import BellhopStorePostgres
import Testing

extension ServerTests {
  @Suite("Values")
  struct ValueTests {
    @Test(
      "integers come back as they were",
      arguments: [0, 1, -1, .max, .min, 1 << 40] as [Int64])
    func integers(_ value: Int64) throws {
      let row = try connect().run("SELECT $1 AS n", .integer(value)).first()
      #expect(try row.value("n") == value)
      #expect(try row.value("n", as: Int.self) == Int(value))
    }

    @Test("floats come back as they were", arguments: [0, -1.5, 1e300, .infinity, 1e-300])
    func floats(_ value: Double) throws {
      #expect(try connect().run("SELECT $1 AS n", .double(value)).first().value("n") == value)
    }

    @Test("texts come back as they were", arguments: ["", "a", "Zoë 🔔 \u{301}", "'; --", "\\x41"])
    func texts(_ value: String) throws {
      #expect(try connect().run("SELECT $1 AS t", .text(value)).first().value("t") == value)
    }

    @Test("bytes come back as they were", arguments: [[], [0], [0xff, 0, 0x5c, 7]])
    func bytes(_ value: [UInt8]) throws {
      #expect(try connect().run("SELECT $1 AS b", .bytes(value)).first().value("b") == value)
    }

    @Test("each column type is read by its kind")
    func columnTypes() throws {
      let row = try connect().run(
        """
        SELECT 7::int2 AS small, -7::int4 AS middle, true AS yes, 0.5::float4 AS float,
          'v'::varchar AS varchar, 'n'::name AS name, '{"a": 1}'::json AS json
        """
      ).first()
      #expect(try row.value("small") == 7)
      #expect(try row.value("middle") == -7)
      #expect(try row.value("yes") == true)
      #expect(try row.value("float") == 0.5)
      #expect(try row.value("varchar") == "v")
      #expect(try row.value("name") == "n")
      #expect(try row.value("json") == #"{"a": 1}"#)
    }

    @Test("a parameter fits a column of another type by a cast")
    func casts() throws {
      let connection = try connect()
      try connection.run("CREATE TEMPORARY TABLE narrow (n int4, at timestamptz, words tsvector)")
      try connection.run(
        "INSERT INTO narrow VALUES ($1, $2::timestamptz, $3::tsvector)", .integer(5),
        .text("2026-01-02T03:04:05Z"), .text("'bell':1 'hop':2"))
      let row = try connection.run(
        "SELECT n, words::text AS words FROM narrow WHERE n = $1", .integer(5)
      ).first()
      #expect(try row.value("n") == 5)
      #expect(try row.value("words") == "'bell':1 'hop':2")
    }

    @Test("NULL goes there and back in every type")
    func nulls() throws {
      let rows = try connect().run(
        "SELECT $1 AS i, $2 AS b, $3 AS d, $4 AS t, $5 AS y", .integer(nil), .bool(nil),
        .double(nil), .text(nil), .bytes(nil))
      let row = try rows.first()
      #expect(try row.optional("i", as: Int64.self) == nil)
      #expect(try row.optional("b", as: Bool.self) == nil)
      #expect(try row.optional("d", as: Double.self) == nil)
      #expect(try row.optional("t", as: String.self) == nil)
      #expect(try row.optional("y", as: [UInt8].self) == nil)
      #expect(
        throws: PostgresError.unexpectedValue(column: "t", expected: "a text", found: "NULL")
      ) { try row.value("t", as: String.self) }
    }

    @Test("a wrong type, a missing column and a missing row are errors that name them")
    func wrongTypes() throws {
      let connection = try connect()
      let row = try connection.run("SELECT 'a'::text AS t, 70000::int8 AS n, 1.5::numeric AS d")
        .first()
      #expect(
        throws: PostgresError.unexpectedValue(column: "t", expected: "an integer", found: "a text")
      ) { try row.value("t", as: Int64.self) }
      #expect(
        throws: PostgresError.unexpectedValue(
          column: "d", expected: "a float", found: "a value of another type")
      ) { try row.value("d", as: Double.self) }
      #expect(throws: PostgresError.missingColumn("x")) { try row.value("x", as: Bool.self) }
      #expect(throws: PostgresError.missingRow) {
        try connection.run("SELECT 1 AS one WHERE false").first()
      }
    }

    @Test("arrays are unnested with their NULLs, also empty ones")
    func arrays() throws {
      let connection = try connect()
      let integers: [Int64?] = [3, nil, .min]
      let texts: [String?] = ["", nil, "{a,\"b\"}"]
      let bytes: [[UInt8]?] = [[], nil, [0, 255]]
      let rows = try connection.run(
        "SELECT * FROM unnest($1, $2, $3) AS row(i, t, b)", .integers(integers), .texts(texts),
        .byteStrings(bytes))
      #expect(try rows.map { try $0.optional("i") } == integers)
      #expect(try rows.map { try $0.optional("t") } == texts)
      #expect(try rows.map { try $0.optional("b") } == bytes)
      #expect(
        try connection.run(
          "SELECT * FROM unnest($1, $2, $3) AS row(i, t, b)", .integers([]), .texts([]),
          .byteStrings([])
        ).isEmpty)
    }

    @Test("rows are found by = ANY of each array")
    func anyOf() throws {
      let connection = try connect()
      try connection.run("CREATE TEMPORARY TABLE found (i int8, t text, b bytea)")
      try connection.run(
        "INSERT INTO found SELECT * FROM unnest($1, $2, $3)", .integers([1, 2, 3]),
        .texts(["a", "b", "c"]), .byteStrings([[1], [2], [3]]))
      let sql = "SELECT i FROM found WHERE i = ANY ($1) OR t = ANY ($2) OR b = ANY ($3) ORDER BY i"
      let rows = try connection.run(
        sql, .integers([1, 9]), .texts(["b"]), .byteStrings([[3], [9]]))
      #expect(try rows.map { try $0.value("i", as: Int.self) } == [1, 2, 3])
      #expect(try connection.run(sql, .integers([]), .texts([]), .byteStrings([])).isEmpty)
    }

    @Test("large values and many rows arrive whole")
    func large() throws {
      let connection = try connect()
      let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      #expect(try connection.run("SELECT $1 AS b", .bytes(bytes)).first().value("b") == bytes)
      let numbers = (0..<200_000).map { Int64($0) }
      let rows = try connection.run("SELECT unnest($1) AS n", .integers(numbers))
      #expect(rows.count == numbers.count)
      #expect(try rows.map { try $0.value("n") } == numbers)
    }
  }

  @Suite("Prepared statements")
  struct PreparationTests {
    private func prepared(_ connection: PostgresConnection) throws -> Int {
      try connection.run("SELECT count(*) AS n FROM pg_prepared_statements").first().value("n")
    }

    @Test("a text is prepared once, and again for parameters of other types")
    func once() throws {
      let connection = try connect()
      let before = try prepared(connection)
      for number in 0..<5 { try connection.run("SELECT $1 AS a", .integer(Int64(number))) }
      #expect(try prepared(connection) == before + 1)
      let row = try connection.run("SELECT $1 AS a", .text("five")).first()
      #expect(try row.value("a") == "five")
      #expect(try prepared(connection) == before + 1)
    }

    @Test("the number of prepared statements is bounded, and the oldest is prepared again")
    func bounded() throws {
      let connection = try connect()
      for number in 0..<300 { try connection.run("SELECT \(number) AS n") }
      #expect(try prepared(connection) <= 256)
      #expect(try connection.run("SELECT 0 AS n").first().value("n") == 0)
    }

    @Test("a statement whose columns have changed fails once")
    func changedColumns() throws {
      let connection = try connect()
      try connection.run("CREATE TEMPORARY TABLE growing (a int8)")
      try connection.run("INSERT INTO growing VALUES (1)")
      #expect(try connection.run("SELECT * FROM growing").first().value("a") == 1)
      try connection.run("ALTER TABLE growing ADD COLUMN b int8 DEFAULT 2")
      #expect(throws: PostgresError.self) { try connection.run("SELECT * FROM growing") }
      #expect(try connection.run("SELECT * FROM growing").first().value("b") == 2)
    }
  }
}
#endif
