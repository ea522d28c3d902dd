/// The manuals of both programs. Their topics are the Markdown files in the folders `User` and `Store`.
package enum Manual {
  /// The topics that `bellhop help` lists, in their order.
  package static let user: [Topic] = [
    topic("start", of: "bellhop", PackageResources.start_md),
    topic("tray", of: "bellhop", PackageResources.tray_md),
    topic("keys", of: "bellhop", PackageResources.keys_md),
    topic("commands", of: "bellhop", PackageResources.commands_md),
    topic("configuration", of: "bellhop", PackageResources.configuration_md),
    topic("filters", of: "bellhop", PackageResources.filters_md),
    topic("ringing", of: "bellhop", PackageResources.ringing_md),
    topic("rules", of: "bellhop", PackageResources.rules_md),
    topic("places", of: "bellhop", PackageResources.places_md),
    topic("actions", of: "bellhop", PackageResources.actions_md),
    topic("attachments", of: "bellhop", PackageResources.attachments_md),
    topic("watch", of: "bellhop", PackageResources.watch_md),
    topic("accounts", of: "bellhop", PackageResources.accounts_md),
    topic("themes", of: "bellhop", PackageResources.themes_md),
    topic("troubleshooting", of: "bellhop", PackageResources.troubleshooting_md),
    topic("changes", of: "bellhop", PackageResources.changes_md),
  ]

  /// The topics that `bellhopd help` lists, in their order.
  package static let store: [Topic] = [
    topic("quick-start", of: "bellhopd", PackageResources.quick_start_md),
    topic("publishing", of: "bellhopd", PackageResources.publishing_md),
    topic("levels", of: "bellhopd", PackageResources.levels_md),
    topic("usernotifications", of: "bellhopd", PackageResources.usernotifications_md),
    topic("dialects", of: "bellhopd", PackageResources.dialects_md),
    topic("hooks", of: "bellhopd", PackageResources.hooks_md),
    topic("reading", of: "bellhopd", PackageResources.reading_md),
    topic("tls", of: "bellhopd", PackageResources.tls_md),
    topic("identity", of: "bellhopd", PackageResources.identity_md),
    topic("backup", of: "bellhopd", PackageResources.backup_md),
    topic("limits", of: "bellhopd", PackageResources.limits_md),
    topic("postgresql", of: "bellhopd", PackageResources.postgresql_md),
    topic("replication", of: "bellhopd", PackageResources.replication_md),
    topic("processes", of: "bellhopd", PackageResources.processes_md),
    topic("haproxy", of: "bellhopd", PackageResources.haproxy_md),
    topic("store-commands", of: "bellhopd", PackageResources.store_commands_md),
    topic("store-configuration", of: "bellhopd", PackageResources.store_configuration_md),
    topic("security", of: "bellhopd", PackageResources.security_md),
  ]

  private static func topic(_ name: String, of program: String, _ bytes: [UInt8]) -> Topic {
    Topic(name: name, markdown: String(decoding: bytes, as: UTF8.self), program: program)
  }
}
