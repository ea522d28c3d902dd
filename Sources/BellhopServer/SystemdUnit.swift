/// A systemd unit file that runs a store with minimal rights; systemd.exec(5).
package struct SystemdUnit: Sendable {
  let program: String
  let configuration: String?

  /// - Parameters:
  ///   - program: The absolute path of `bellhopd`.
  ///   - configuration: The absolute path of its configuration file, if any.
  package init(program: String, configuration: String?) {
    self.program = program
    self.configuration = configuration
  }

  package var text: String {
    let config = configuration.map { " --config \($0)" } ?? ""
    return """
      [Unit]
      Description=Bellhop notification store
      Documentation=man:bellhopd(1)
      Wants=network-online.target
      # time-sync.target is reached when a service that sets the clock says so, if one does.
      After=network-online.target time-sync.target

      [Service]
      Type=notify
      ExecStart=\(program) serve --data /var/lib/bellhop\(config)
      ExecReload=/bin/kill -HUP $MAINPID
      Restart=on-failure
      RestartSec=2
      # The store says that it lives as long as its storage answers.
      WatchdogSec=60
      TimeoutStopSec=30
      # A connection takes an open file.
      LimitNOFILE=65536

      # A user of its own, which owns nothing but /var/lib/bellhop. Administer it with
      # sudo bellhopd COMMAND --data /var/lib/bellhop
      DynamicUser=yes
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
      # Reads whether the clock is synchronised; without capabilities nothing can set it.
      # ProtectClock=yes would forbid that, too.
      SystemCallFilter=adjtimex clock_adjtime clock_adjtime64
      SystemCallErrorNumber=EPERM

      [Install]
      WantedBy=multi-user.target

      """
  }
}
