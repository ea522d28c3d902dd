import BellhopKit
import BellhopModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A program that uses the library as any other package can.
///
/// It prints incoming changes, and dismisses the first notification of the given app.
///
///     bellhop-example https://store.example.com ~/.local/state/my-program ci < token
@main
struct Example {
  static func main() async throws {
    guard CommandLine.arguments.count == 4, let token = readLine() else {
      say("usage: bellhop-example URL FOLDER APP < TOKEN")
      exit(64)
    }
    let app = CommandLine.arguments[3]

    // The folder contains the local copy. The device's id must be the same at each start.
    let account = FeedAccount(
      name: AccountName("example"), url: CommandLine.arguments[1],
      device: DeviceID("bellhop-example"), deviceName: "example",
      folder: CommandLine.arguments[2], daysToSync: 30)
    let feed = try UserDataFeed(account) { _ in token }
    let events = await feed.events()
    let watching = Task {
      for await event in events { report(event) }
    }

    // A program that runs for ever stores each batch.position, and passes it to its next reader.
    let reader = try feed.channel.makeReader(ReaderOptions(start: .beginning))
    try await feed.start()
    var isDone = false
    while !isDone, let batch = try await reader.nextBatch(max: 20) {
      for change in batch.changes {
        switch change {
        case .active(let item):
          say(line(item))
          if item.notification.content.app == app, item.placement == .tray {
            try await feed.channel.dismiss(item.id)
            isDone = true
          }
        case .deleted(let item):
          say("#\(item.shortNumber) of \(item.app) is gone")
        }
      }
    }

    try await feed.sync()
    say("sent; \(await feed.stop()) changes wait")
    await watching.value
  }

  static func line(_ item: FeedNotification) -> String {
    let content = item.notification.content
    return "#\(item.notification.shortNumber) \(content.app): \(content.visual?.title ?? "data") "
      + "(\(item.notification.state.userActionState.value.kind.rawValue))"
  }

  /// Prints at once, also into a pipe.
  static func say(_ text: String) {
    print(text)
    fflush(nil)
  }

  static func report(_ event: FeedEvent) {
    switch event {
    case .status(.synchronized): say("in step with the store")
    case .status(let status): say("\(status)")
    case .registration(let state): say("this device is \(state)")
    case .accessTokenInvalidated: say("the store does not accept the token")
    case .undone(let changes): say("\(changes.count) changes came too late")
    case .publishToken(let token): say("the server of \(token.app) has a token")
    case .publishTokenFailed(let app, let error): say("\(app) has no token: \(error)")
    case .dataChanged: break
    }
  }
}
