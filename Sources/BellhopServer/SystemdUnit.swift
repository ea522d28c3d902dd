/// A systemd unit file that runs a store with minimal rights; systemd.exec(5).
package struct SystemdUnit: Sendable {
  let program: String
  let configuration: String?
  let user: String?

  /// - Parameters:
  ///   - program: The absolute path of `bellhopd`.
  ///   - configuration: The absolute path of its configuration file, if any.
  ///   - user: The user that the store runs as; nil for one that systemd creates at each start.
  package init(program: String, configuration: String?, user: String? = nil) {
    self.program = program
    self.configuration = configuration
    self.user = user
  }

  package var text: String {
    let config = configuration.map { " --config \($0)" } ?? ""
    return """
      [Unit]
      Description=Bellhop notification store
      Documentation=man:bellhopd(8)
      Wants=network-online.target
      # time-sync.target waits for a service that synchronises the clock, if one is enabled.
      After=network-online.target time-sync.target

      [Service]
      Type=notify
      ExecStart=\(program) serve --data /var/lib/bellhop\(config)
      ExecReload=\(program) reload --data /var/lib/bellhop
      Restart=on-failure
      RestartSec=2
      # The configuration is not valid, or a newer version has changed the data: a restart would
      # not help.
      RestartPreventExitStatus=78
      # The store reports to the watchdog as long as its storage responds.
      WatchdogSec=60
      TimeoutStopSec=30
      # Each connection uses an open file.
      LimitNOFILE=65536

      # A dedicated user, which owns only /var/lib/bellhop. Administer the store with
      # sudo bellhopd COMMAND --data /var/lib/bellhop
      \(user.map { "User=\($0)" } ?? "DynamicUser=yes")
      StateDirectory=bellhop
      StateDirectoryMode=0700
      UMask=0077

      NoNewPrivileges=yes
      CapabilityBoundingSet=
      AmbientCapabilities=
      ProtectSystem=strict
      ProtectHome=yes
      PrivateTmp=yes
      PrivateDevices=yes
      ProtectProc=invisible
      ProtectHostname=yes
      ProtectKernelLogs=yes
      ProtectKernelModules=yes
      ProtectKernelTunables=yes
      ProtectControlGroups=yes
      RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
      RestrictNamespaces=yes
      RestrictRealtime=yes
      RestrictSUIDSGID=yes
      RemoveIPC=yes
      LockPersonality=yes
      MemoryDenyWriteExecute=yes
      SystemCallArchitectures=native
      SystemCallFilter=@system-service
      SystemCallFilter=~@privileged @resources
      # To read whether the clock is synchronised. Without capabilities, it cannot be set.
      # ProtectClock=yes would forbid the reading, too.
      SystemCallFilter=adjtimex clock_adjtime clock_adjtime64
      SystemCallErrorNumber=EPERM

      [Install]
      WantedBy=multi-user.target

      """
  }
}
