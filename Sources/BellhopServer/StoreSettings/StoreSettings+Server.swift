internal import BellhopModel
internal import BellhopSettings

/// The settings of the table `server`.
extension StoreSettings {
  static let serving: [Setting<StoreSettings>] = [
    .bytes(
      "server.body-bytes-max", \.server.bodyBytesMax, 1024...(64 << 20),
      "The largest request body, except for /operations."),
    .bytes(
      "server.operations-body-bytes-max", \.server.operationsBodyBytesMax, 1024...(64 << 20),
      "The largest body of a request to /operations."),
    .bytes(
      "server.bulk-body-bytes-max", \.server.bulkBodyBytesMax, 1024...(256 << 20),
      "The largest body of a bulk publication. Each of its lines may have body-bytes-max."),
    .count(
      "server.bulk-lines-max", \.server.bulkLinesMax, 1...100_000,
      "The most publications in one bulk request, which is one transaction."),
    .bytes(
      "server.batch-body-bytes-max", \.server.batchBodyBytesMax, 1024...(64 << 20),
      "The largest body of a $batch request."),
    .bytes(
      "server.batch-answer-bytes-max", \.server.batchAnswerBytesMax, 1024...(256 << 20),
      "The largest response to a $batch request."),
    .bytes(
      "server.header-bytes-max", \.server.headerBytesMax, 1024...(1 << 20),
      "The largest size of all header fields of a request together."),
    .count(
      "server.header-fields-max", \.server.headerFieldsMax, 10...10_000,
      "The most header fields of a request."),
    .bytes(
      "server.target-bytes-max", \.server.targetBytesMax, 256...(1 << 20),
      "The longest path and query of a request."),
    .count(
      "server.json-depth-max", \.server.jsonDepthMax, 8...256,
      "The deepest nesting of a JSON body."),
    .count(
      "server.delta-rows-default", \.server.deltaRowsDefault, 1...5000,
      "Rows in a page of a delta if the client requests no number."),
    .count(
      "server.list-rows-default", \.server.listRowsDefault, 1...5000,
      "Rows in a page of the history if the client requests no number."),
    .count(
      "server.list-rows-max", \.server.listRowsMax, 1...5000,
      "The most rows in a page of the history."),
    .span(
      "server.heartbeat-interval", \.server.heartbeatInterval, .seconds(1)...(.seconds(300)),
      "How often the store sends a heartbeat on a stream of signals. Clients give up after 70s "
        + "of silence."),
    .span(
      "server.idle-timeout", \.server.idleTimeout, .seconds(1)...(.seconds(86_400)),
      "How long a connection may be idle before the store closes it."),
    .span(
      "server.header-timeout", \.server.headerTimeout, .milliseconds(50)...(.seconds(3600)),
      "How long a client may take to send the head of a request."),
    .span(
      "server.body-timeout", \.server.bodyTimeout, .milliseconds(50)...(.seconds(3600)),
      "How long the store waits for the next part of a body, beside "
        + "server.transfer-bytes-per-second-min."),
    .span(
      "server.answer-timeout", \.server.answerTimeout, .milliseconds(50)...(.seconds(3600)),
      "How long a client may read a response slower than server.transfer-bytes-per-second-min "
        + "before the store closes the connection."),
    .bytes(
      "server.transfer-bytes-per-second-min", \.server.transferBytesPerSecondMin, 1...(1 << 20),
      "The slowest transfer that the store accepts, in either direction."),
    .count(
      "server.connections-max", \.server.connectionsMax, 1...1_000_000,
      "The most open connections of one listener. More wait to be accepted. Each takes an open "
        + "file."),
    .count(
      "server.connections-per-address-max", \.server.connectionsPerAddressMax, 1...1_000_000,
      "The most open connections from one IPv4 address, or one IPv6 network of 64 bits. The "
        + "store closes more at once."),
    .proxies(
      "server.trusted-proxies", \.server.trustedProxies,
      "Reverse proxies and load balancers, by address or network. The store believes only their "
        + "X-Forwarded-For and X-Forwarded-Proto, and does not limit their connections by "
        + "address."),
    .count(
      "server.token-requests-per-second", \.server.tokenRequestsPerSecond, 1...1_000_000,
      "The rate limit of an access token. Requests beyond it receive status 429."),
    .count(
      "server.token-request-burst", \.server.tokenRequestBurst, 1...10_000_000,
      "Requests that an idle token may make at once."),
    .choice(
      "server.metrics", \.server.metrics, "Who may read /metrics: see bellhopd help limits."),
    .span(
      "server.readiness-interval", \.server.readinessInterval, .seconds(0)...(.seconds(600)),
      "How long the store repeats an answer of /health. A new one costs a write."),
    .span(
      "server.readiness-timeout", \.server.readinessTimeout, .milliseconds(50)...(.seconds(600)),
      "How long a check of the storage may take before the store reports that it is not ready."),
    .bytes(
      "server.disk-free-bytes-min", \.server.diskFreeBytesMin, 0...(1 << 40),
      "The least free space on the disk with which the store reports that it is ready."),
    .span(
      "server.sweep-interval", \.server.sweepInterval, .seconds(1)...(.seconds(86_400)),
      "How often the store removes expired items and old tombstones."),
    .span(
      "server.catch-up-delay", \.server.catchUpDelay, .milliseconds(1)...(.seconds(3600)),
      "How long after a write the store indexes its texts for searches."),
    .span(
      "server.drain-delay", \.server.drainDelay, .seconds(0)...(.seconds(600)),
      "How long the store still serves after SIGTERM, while /health/ready reports that it stops. "
        + "Behind a load balancer, the delay must be longer than the balancer needs to notice."),
    .span(
      "server.drain-timeout", \.server.drainTimeout, .seconds(0)...(.seconds(600)),
      "How long requests may take to finish at shutdown, after server.drain-delay."),
  ]

  /// Settings under names of earlier versions, which files may still have.
  static let former: [Setting<StoreSettings>] = [
    .proxies("server.proxies", \.server.proxies, "")
  ]
}

extension Setting<StoreSettings> {
  /// Addresses and networks of proxies.
  fileprivate static func proxies(
    _ path: String, _ place: any Place<[String]>, _ help: String
  ) -> Setting {
    texts(
      path, place,
      expected: "an address such as \"10.0.0.2\", a network such as \"10.0.0.0/8\"",
      example: "[\"10.0.0.2\", \"10.0.0.0/8\"]", help, where: { IPNetwork($0) != nil })
  }
}
