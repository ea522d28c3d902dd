internal import BellhopModel

/// A table whose rows move with a store from one storage to another.
///
/// The names of tables and columns are those of the portable format. A storage may use other ones, and
/// other ids of outboxes: here, the outboxes of a user are numbered from 1, in the order in which they
/// began.
///
/// The order of the tables is that of a copy: a row comes after the rows that it refers to. The target
/// builds its own search index and sums. Device grants and attempts do not move: a device that waits to
/// be signed in requests another code.
package enum CopiedTable: String, CaseIterable, Hashable, Sendable {
  case metadata
  case start
  case user
  case startSequence = "start_sequence"
  case device
  case accessToken = "access_token"
  case forgottenToken = "forgotten_token"
  case subject
  case signIn = "sign_in"
  case app
  case appAlias = "app_alias"
  case appProfile = "app_profile"
  case item
  case rule
  case publication
  case outbox
  case outboxNumber = "outbox_number"
  case operation
  case bulkWork = "bulk_work"
  case awaitedResponse = "awaited_response"
  case subscription
  case file
  case itemAlias = "item_alias"
  case resolution
}

/// A column of a copied table.
package struct CopiedColumn: Hashable, Sendable, Codable {
  /// The kinds of values. Times are integers, in milliseconds since 1970.
  package enum Kind: String, Hashable, Sendable, Codable {
    case integer
    case text
    case bytes
    case flag
  }

  package var name: String
  package var kind: Kind

  init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }
}

/// A noun for one and for several things of a kind.
package struct CountedNoun: Hashable, Sendable {
  package let one: String
  package let several: String

  /// - Parameter several: The plural; nil appends an s.
  init(_ one: String, _ several: String? = nil) {
    self.one = one
    self.several = several ?? one + "s"
  }
}

extension CopiedTable {
  /// The noun for its rows in texts that administrators read.
  package var noun: CountedNoun {
    switch self {
    case .metadata: CountedNoun("fact about the store", "facts about the store")
    case .start: CountedNoun("start")
    case .user: CountedNoun("user")
    case .startSequence: CountedNoun("sequence at a start", "sequences at a start")
    case .device: CountedNoun("device")
    case .accessToken: CountedNoun("token")
    case .forgottenToken: CountedNoun("forgotten token")
    case .subject: CountedNoun("linked identity", "linked identities")
    case .signIn: CountedNoun("sign-in")
    case .app: CountedNoun("app")
    case .appAlias: CountedNoun("alias of an app", "aliases of apps")
    case .appProfile: CountedNoun("profile of an app", "profiles of apps")
    case .item: CountedNoun("item")
    case .rule: CountedNoun("rule")
    case .publication: CountedNoun("idempotency key")
    case .outbox: CountedNoun("outbox", "outboxes")
    case .outboxNumber: CountedNoun("number of an operation", "numbers of operations")
    case .operation: CountedNoun("operation")
    case .bulkWork: CountedNoun("bulk operation")
    case .awaitedResponse: CountedNoun("awaited response")
    case .subscription: CountedNoun("subscription")
    case .file: CountedNoun("description of an attachment", "descriptions of attachments")
    case .itemAlias: CountedNoun("further id of an item", "further ids of items")
    case .resolution: CountedNoun("resolution without an alert", "resolutions without alerts")
    }
  }

  /// The name in the portable format.
  package var name: String { rawValue }

  /// The columns. The first ``keyCount`` ones are the key.
  package var columns: [CopiedColumn] { keyColumns + valueColumns }

  /// The number of columns in the key, by which rows are read and compared.
  ///
  /// Its order is that of numbers and bytes, and is the same in every storage.
  package var keyCount: Int { keyColumns.count }

  /// Whether the rows belong to users. Then the user is the first column.
  package var belongsToUsers: Bool {
    switch self {
    case .metadata, .start: false
    case .user, .startSequence, .device, .accessToken, .forgottenToken, .subject, .signIn, .app,
      .appAlias, .appProfile, .item, .rule, .publication, .outbox, .outboxNumber, .operation,
      .bulkWork, .awaitedResponse, .subscription, .file, .itemAlias, .resolution:
      true
    }
  }

  private var keyColumns: [CopiedColumn] {
    let user = CopiedColumn("user", .integer)
    return switch self {
    case .metadata: [CopiedColumn("key", .text)]
    case .start: [CopiedColumn("ordinal", .integer)]
    case .user: [CopiedColumn("id", .integer)]
    case .startSequence: [user, CopiedColumn("start", .integer)]
    case .device, .file: [user, CopiedColumn("id", .text)]
    case .accessToken, .forgottenToken, .item, .rule, .operation, .bulkWork, .subscription:
      [user, CopiedColumn("id", .bytes)]
    case .subject: [user, CopiedColumn("issuer", .text)]
    case .signIn: [user, CopiedColumn("token", .bytes)]
    case .app, .appProfile: [user, CopiedColumn("app", .text)]
    case .appAlias: [user, CopiedColumn("alias", .text)]
    case .publication: [user, CopiedColumn("token", .bytes), CopiedColumn("key", .text)]
    case .outbox: [user, CopiedColumn("id", .integer)]
    case .outboxNumber:
      [user, CopiedColumn("outbox", .integer), CopiedColumn("number", .integer)]
    case .awaitedResponse: [user, CopiedColumn("item", .bytes)]
    case .itemAlias, .resolution:
      [user, CopiedColumn("app", .text), CopiedColumn("app_notification_id", .text)]
    }
  }

  private var valueColumns: [CopiedColumn] {
    switch self {
    case .metadata: Self.bytes("value")
    case .start: Self.bytes("id") + Self.integers("at") + Self.texts("life")
    case .user:
      Self.texts("name")
        + Self.integers(
          "created", "sequence", "floor", "short_number", "start", "apps", "items", "tombstones",
          "bytes", "changed", "rules")
    case .startSequence: Self.integers("sequence")
    case .device:
      Self.texts("name", "platform", "channel", "environment")
        + Self.integers("registered", "renewed", "expires")
    case .accessToken:
      Self.bytes("hash")
        + Self.texts("name", "scope", "scope_value", "revoked_by")
        + Self.integers("created", "expires", "revoked", "last_used")
    case .forgottenToken: []
    case .subject: Self.texts("subject")
    case .signIn: Self.texts("issuer", "subject", "client", "session")
    case .app:
      Self.integers("items", "tombstones", "bytes", "sequence", "retention_days")
        + Self.texts("settings", "authorization", "repeats", "resolutions")
        + Self.flags("is_retaining") + Self.integers("retained_arrival") + Self.bytes("retained_id")
    case .appAlias: Self.texts("app")
    case .appProfile: Self.texts("description") + Self.integers("default_priority")
    case .item: Self.itemContent + Self.itemState
    case .rule: Self.integers("sequence", "removed") + Self.texts("rule")
    case .publication:
      Self.bytes("body_hash", "item")
        + Self.integers(
          "short_number", "created", "arrival", "expiration", "sequence", "at", "ordinal")
        + Self.texts("outcome")
    case .outbox: Self.texts("device", "lineage", "epoch") + Self.integers("last", "forgotten")
    case .outboxNumber: Self.bytes("operation")
    case .operation:
      Self.texts("result", "reason") + Self.integers("latest", "at", "content_sequence")
        + Self.bytes("item")
    case .bulkWork:
      Self.texts("operation", "author", "result", "environment")
        + Self.integers("below_arrival", "latest", "begun") + Self.bytes("below_id")
    case .awaitedResponse:
      Self.bytes("token") + Self.integers("content_sequence", "expires", "answered")
        + Self.texts("action", "text") + Self.flags("is_superseded")
    case .subscription:
      Self.bytes("token")
        + Self.texts(
          "change_types", "resource", "notification_url", "lifecycle_url", "client_state",
          "tls_version", "epoch", "pending")
        + Self.integers(
          "created", "expires", "through", "known_number", "occurred_through", "failures",
          "failing_since", "retry_at", "lifecycle_failures", "lifecycle_failing_since",
          "lifecycle_retry_at")
    case .file:
      Self.texts("hash", "app", "name", "type") + Self.bytes("token", "item")
        + Self.integers("size", "charge", "created", "expires")
    case .itemAlias: Self.bytes("item") + Self.flags("is_resolved") + Self.integers("at")
    case .resolution: Self.integers("resolved", "at")
    }
  }

  /// Returns the value of a column in rows of backups that were made before it was added.
  func earlierValue(of column: CopiedColumn) -> CopiedValue {
    self == .user && column.name == "rules" ? .integer(0) : .null
  }

  /// The columns of an item's content, and of a tombstone.
  private static let itemContent =
    integers(
      "short_number", "sequence", "content_sequence", "created", "changed", "arrival", "leaves",
      "deleted", "priority", "expiration", "display_time_to_live", "deliver_at", "crossed",
      "meaning_sequence", "resolved")
    + texts(
      "app", "app_notification_id", "group_name", "tags", "title", "subtitle", "body", "raw",
      "click_url", "extras", "delivery_trigger", "environment", "moved_app",
      "repeats")
    + bytes("collapse_key")

  /// The columns of an item's registers, which have the same names in the databases.
  ///
  /// In the portable format they are ordered by their kind.
  private static let itemState = [CopiedColumn.Kind.text, .integer, .bytes, .flag].flatMap { kind in
    RegisterColumn.allCases.filter { $0.kind == kind }.map { CopiedColumn($0.name, kind) }
  }

  private static func integers(_ names: String...) -> [CopiedColumn] {
    names.map { CopiedColumn($0, .integer) }
  }

  private static func texts(_ names: String...) -> [CopiedColumn] {
    names.map { CopiedColumn($0, .text) }
  }

  private static func bytes(_ names: String...) -> [CopiedColumn] {
    names.map { CopiedColumn($0, .bytes) }
  }

  private static func flags(_ names: String...) -> [CopiedColumn] {
    names.map { CopiedColumn($0, .flag) }
  }
}

extension RegisterColumn {
  /// The kind of the column's values in the portable format.
  fileprivate var kind: CopiedColumn.Kind {
    for (register, columns) in zip(ItemRegister.all, RegisterColumns.all) {
      if self == columns.value || self == columns.previous {
        return register.form == .flag ? .flag : .text
      }
      if self == columns.operation { return .bytes }
      if self == columns.by || self == columns.choice || self == columns.occurrence {
        return .text
      }
      if self == columns.until || self == columns.previousUntil || self == columns.at {
        return .integer
      }
    }
    preconditionFailure("the column belongs to no register")
  }
}
