internal import BellhopModel
internal import BellhopSettings

extension ConfigurationKey {
  /// A person who waits longer runs `bellhop sync`.
  private static let syncWaitMax = 60_000

  static let syncWait = ConfigurationKey(
    name: "sync-wait",
    help: [
      "Milliseconds that list, search, status and the like wait for the store before they print,",
      "0 to 60000; by default 300 for a store on this machine and 1000 for another. 0 never asks.",
    ],
    example: "2000",
    read: { (value, configuration) throws(Misfit) in
      guard let limit = value.number, (0...syncWaitMax).contains(limit) else {
        throw Misfit(expected: "a number of milliseconds from 0 to \(syncWaitMax)")
      }
      configuration.syncWait = .milliseconds(limit)
    },
    written: { configuration in
      configuration.syncWait.map { String($0.milliseconds) }
    })
}
