#if BELLHOP_POSTGRES
extension PostgresSchema {
  /// The bytes of attachments; see ``PostgresBlobStore``.
  ///
  /// `EXTERNAL` stores a chunk without compression, so that a part of it is read without the rest.
  /// Drafts are neither logged nor replicated: after a crash they are gone, and their uploads fail.
  static let blobs = """
    CREATE TABLE blob (
      hash bytea NOT NULL PRIMARY KEY,
      bytes bigint NOT NULL,
      created bigint NOT NULL,
      removed bigint            -- the time of its removal; its chunks stay a little longer
    );
    CREATE INDEX blob_removed ON blob (removed) WHERE removed IS NOT NULL;

    CREATE TABLE blob_chunk (
      hash bytea NOT NULL,
      number bigint NOT NULL,
      data bytea NOT NULL,
      PRIMARY KEY (hash, number)
    );
    ALTER TABLE blob_chunk ALTER COLUMN data SET STORAGE EXTERNAL;

    CREATE UNLOGGED TABLE blob_draft (
      name text COLLATE "C" NOT NULL,
      number bigint NOT NULL,
      data bytea NOT NULL,
      started bigint NOT NULL,  -- the time of this chunk
      PRIMARY KEY (name, number)
    );
    ALTER TABLE blob_draft ALTER COLUMN data SET STORAGE EXTERNAL;
    """
}
#endif
