internal import BellhopModel
internal import BellhopStore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The callers that may read `/metrics`.
package enum MetricsAccess: String, Sendable, CaseIterable {
  /// Programs on this machine that use no proxy, and callers with the metrics token.
  case local
  /// Only callers with the metrics token.
  case token
  /// No callers.
  case off
}

/// `GET /metrics`: the metrics of the store for Prometheus.
///
/// They contain numbers, but no names of users, apps or devices.
enum MetricsEndpoint {
  static let endpoints = [Endpoint.open(.get, "metrics", handle)]

  private static func handle(_ exchange: Exchange) async throws -> Response {
    try allow(exchange)
    var text = PrometheusText()
    let server = exchange.server
    server.activity.metrics.write(to: &text)
    write(server.activity.connections.figures, to: &text)
    write(exchange.store.figures, to: &text)
    write(server.hooks.counts, to: &text)
    write(try await exchange.store.storageFigures(), to: &text)
    writeProcesses(exchange.store, to: &text)
    writeProcess(server, to: &text)
    text.single(
      "bellhop_tls_certificate_expiry_timestamp_seconds", .gauge,
      "Expiry time of the certificate, in seconds since 1970.",
      server.certificates.map { $0.expires.milliseconds / 1000 })
    text.begin("bellhop_info", .gauge, "Always 1; its label is the version.")
    text.add(
      "bellhop_info",
      labels: PrometheusText.labels([("version", exchange.configuration.version)]), 1)
    return Response(
      status: .ok,
      headers: [.contentType: PrometheusText.contentType, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text.text)))
  }

  private static let viaProxy = ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"]
    .compactMap { HTTPField.Name($0) }

  private static func allow(_ exchange: Exchange) throws {
    let access = exchange.configuration.metrics
    guard access != .off else { throw RequestError.notFound("There is nothing at this address.") }
    if let token = exchange.server.metricsToken,
      let header = exchange.request.headers[.authorization],
      let presented = Credentials.bearer(header), presented.isEqual(to: token)
    {
      return
    }
    let isDirect = !viaProxy.contains { exchange.request.headers.contains($0) }
    if access == .local, exchange.isLocal, isDirect { return }
    throw exchange.server.metricsToken == nil
      ? RequestError.forbidden(
        "Metrics can be read only on the store's machine, or with a metrics token.")
      : RequestError.unauthenticated("send the metrics token")
  }

  private static func write(_ figures: ConnectionRegister.Figures, to text: inout PrometheusText) {
    text.single(
      "bellhop_connections_open", .gauge, "Open connections.", figures.open)
    text.single(
      "bellhop_connections_accepted_total", .counter, "Accepted connections.", figures.accepted)
    text.single(
      "bellhop_connections_refused_total", .counter,
      "Connections closed at once, because their address had too many.",
      figures.refused)
    text.single(
      "bellhop_connections_slow_total", .counter,
      "Connections closed because the client was too slow.", figures.tooSlow)
  }

  private static func write(_ figures: StoreFigures, to text: inout PrometheusText) {
    text.single(
      "bellhop_publications_total", .counter, "Items published or replaced.",
      figures.publications)
    text.single(
      "bellhop_attachments_total", .counter, "Attachments uploaded.", figures.attachments)
    text.single(
      "bellhop_attachment_bytes_total", .counter, "Size of the uploaded attachments.",
      figures.attachmentBytes)
    text.single(
      "bellhop_signals_sent_total", .counter, "Signals sent to streams.", figures.signals)
    text.single("bellhop_signal_streams_open", .gauge, "Open signal streams.", figures.streams)
  }

  private static func writeProcesses(_ store: StoreService, to text: inout PrometheusText) {
    text.single(
      "bellhop_processes", .gauge, "Live processes that serve the database.", store.processes.count)
    text.single(
      "bellhop_upkeep_lease_held", .gauge,
      "Whether this process does the upkeep of the database: 1 or 0.",
      store.doesUpkeep ? 1 : 0)
  }

  private static func writeProcess(_ server: StoreServer, to text: inout PrometheusText) {
    text.single(
      "bellhop_draining", .gauge, "Whether this process is about to stop: 1 or 0.",
      server.activity.isDraining ? 1 : 0)
    text.single(
      "bellhop_storage_concerns", .gauge,
      "Conditions that make a loss of data more likely while the storage works.",
      server.store.concerns.count)
    let process = server.environment.process
    text.begin("bellhop_process_info", .gauge, "Always 1; its labels tell the processes apart.")
    text.add(
      "bellhop_process_info",
      labels: PrometheusText.labels([("host", process.host), ("pid", String(process.number))]), 1)
  }

  private static func write(_ counts: HookCounts, to text: inout PrometheusText) {
    text.single(
      "bellhop_hook_subscriptions", .gauge, "Web hook subscriptions.", counts.subscriptions)
    text.single("bellhop_hook_calls_open", .gauge, "Web hooks being called.", counts.calling)
    let requests = "bellhop_hook_requests_total"
    text.begin(requests, .counter, "Requests to web hooks, by outcome.")
    text.add(
      requests, labels: PrometheusText.labels([("outcome", "accepted")]),
      counts.requestsAccepted)
    text.add(
      requests, labels: PrometheusText.labels([("outcome", "failed")]),
      counts.requestsFailed)
    text.single(
      "bellhop_hook_changes_told_total", .counter, "Changes that web hooks accepted.",
      counts.changesDelivered)
    text.single(
      "bellhop_hook_given_up_total", .counter,
      "Times that changes were dropped because their web hook failed too long.", counts.dropped)
  }

  private static func write(_ figures: StorageFigures, to text: inout PrometheusText) {
    text.single(
      "bellhop_database_bytes", .gauge, "Size of the database.", figures.databaseBytes)
    text.single(
      "bellhop_database_unused_bytes", .gauge, "Unused space of the database.",
      figures.unusedBytes)
    text.single(
      "bellhop_database_returned_bytes_total", .counter, "Unused space returned to the disk.",
      figures.returnedBytes)
    text.single(
      "bellhop_database_log_bytes", .gauge, "Size of the database's log.", figures.logBytes)
    text.single(
      "bellhop_disk_free_bytes", .gauge, "Free space on the database's disk.",
      figures.diskFreeBytes)
    let commits = "bellhop_database_commit_duration_seconds"
    text.begin(commits, .histogram, "Duration of commits; several writes may share one.")
    text.add(commits, figures.commits)
    text.single(
      "bellhop_database_writes_total", .counter, "Committed writes.", figures.writes)
    text.single(
      "bellhop_database_writes_waiting", .gauge, "Writes waiting for the next commit.",
      figures.waitingWrites)
  }
}
