/// The manuals of both programs. Their topics are the Markdown files in the folders `User` and `Store`.
package enum Manual {
  /// The topics that `bellhop help` lists, in their order.
  package static let user: [Topic] = [
    topic("start", PackageResources.start_md),
    topic("tray", PackageResources.tray_md),
    topic("keys", PackageResources.keys_md),
    topic("commands", PackageResources.commands_md),
    topic("configuration", PackageResources.configuration_md),
    topic("filters", PackageResources.filters_md),
    topic("ringing", PackageResources.ringing_md),
    topic("actions", PackageResources.actions_md),
    topic("attachments", PackageResources.attachments_md),
    topic("watch", PackageResources.watch_md),
    topic("accounts", PackageResources.accounts_md),
    topic("themes", PackageResources.themes_md),
    topic("troubleshooting", PackageResources.troubleshooting_md),
    topic("changes", PackageResources.changes_md),
  ]

  /// The topics that `bellhopd help` lists, in their order.
  package static let store: [Topic] = [
    topic("quick-start", PackageResources.quick_start_md),
    topic("publishing", PackageResources.publishing_md),
    topic("levels", PackageResources.levels_md),
    topic("dialects", PackageResources.dialects_md),
    topic("hooks", PackageResources.hooks_md),
    topic("reading", PackageResources.reading_md),
    topic("tls", PackageResources.tls_md),
    topic("identity", PackageResources.identity_md),
    topic("backup", PackageResources.backup_md),
    topic("limits", PackageResources.limits_md),
    topic("store-commands", PackageResources.store_commands_md),
    topic("store-configuration", PackageResources.store_configuration_md),
    topic("security", PackageResources.security_md),
  ]

  private static func topic(_ name: String, _ bytes: [UInt8]) -> Topic {
    Topic(name: name, markdown: String(decoding: bytes, as: UTF8.self))
  }
}
