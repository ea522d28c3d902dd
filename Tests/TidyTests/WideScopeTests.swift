import BellhopTestSupport
import Testing

/// The writes to a store whose scope is not one user, each with its reason.
///
/// Such a write delays more than one user. A new one needs a reason here.
@Suite("Writes beyond one user")
struct WideScopeTests {
  /// The reasons, by file, function and scope.
  static let reasons = [
    "StoreService.swift open store": "It writes the epoch, the key and a start.",
    "StoreService+Administration.swift addUser store": "The name must be free.",
    "StoreService+Administration.swift beginEpoch store": "It writes the epoch.",
    "StoreService+Administration.swift sweepByAge users":
      "The backend finds old records of any user, and needs no lock for it.",
    "StoreService+DeviceGrants.swift openDeviceGrant store":
      "Requests are counted by network, and a full table loses a grant of any network.",
    "StoreService+DeviceGrants.swift slowDown users":
      "A grant belongs to no user, and this scope delays no other write.",
    "StoreService+ExternalSignIn.swift authenticate users":
      "The user is found by the subject or the name, or is added.",
    "StoreService+Files.swift removeUnlessUsed store":
      "The hashes of removed files belong to no user.",
    "StoreService+Files.swift sweepFiles users":
      "Expired files of all users go in few transactions.",
    "StoreService+BlobHolds.swift hold store":
      "A hold must not be inserted while a sweep removes the same blob.",
    "StoreService+BlobHolds.swift abandon store": "It removes a hold, and adds an orphaned hash.",
    "StoreService+BlobHolds.swift abandonEndedHolds store":
      "Holds and the hashes of removed files belong to no user.",
    "StoreService+Processes.swift beat store": "It decides by rows of no user who does the upkeep.",
    "StoreService+Processes.swift leave store": "The process and its leases belong to no user.",
    "StoreService+Processes.swift performUpkeep users":
      "The backend finds old processes and leases, and needs no lock for it.",
    "StoreLogic+Restore.swift adopt users": "A restore raises every user's sequence, or none.",
    "CopyTarget.swift begin store": "An empty storage has no users.",
    "CopyTarget.swift insert store": "It adds users with their rows, and no process serves them.",
    "CopyTarget.swift finish users": "A restore raises every user's sequence, or none.",
    "StoreCopy.swift markSource store": "The mark is in the metadata.",
    "StoreCopy.swift waitForWrites users": "It waits for the writes of every user.",
    "StoreCopy.swift setPhase store": "The mark is in the metadata.",
    "MoveMark.swift revive users": "It raises every user's sequence, or none.",
    "WriteHealth.swift probe users":
      "It writes one row of the metadata. A rehearsal writes for the users whose writes failed.",
    "ExpiryClock.swift saveClock store": "The record of the clock is in the metadata.",
    "MemoryBackend.swift run store": "A read writes nothing.",
    "MemorySnapshot.swift read store": "A read writes nothing.",
    "SharedHost+Requests.swift restoreBackup store": "The simulation opens its store.",
    "SharedHost+Requests.swift restoreBackup users": "The simulation restores a backup.",
    "LogicHost.swift init store": "The simulation opens its store and adds its user.",
    "LogicHost.swift restart store": "The simulation opens its store.",
    "LogicHost.swift beginEpoch store": "The simulation begins another epoch.",
    "LogicHost.swift restoreBackup users": "The simulation restores a backup.",
    "LogicHost.swift sweep users": "The simulation sweeps in one transaction.",
  ]

  /// Returns the writes of a file in a scope other than one user, as file, function and scope.
  static func wideWrites(in file: SourceTree.File) -> Set<String> {
    let name = file.path.split(separator: "/").last ?? ""
    var function: Substring = ""
    var found: Set<String> = []
    for line in file.lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
      if let match = line.firstMatch(of: #/\bfunc (\w+)|^ *(?:\w+ )*(init)[?(]/#) {
        function = match.1 ?? match.2 ?? ""
      }
      for match in line.matches(of: #/(?:\bin: |\bWriteScope)\.(users|store)\b/#) {
        found.insert("\(name) \(function) \(match.1)")
      }
    }
    return found
  }

  @Test("each write in a scope other than one user has a reason")
  func reasonsAreComplete() throws {
    var found: Set<String> = []
    for file in try SourceTree.swiftFiles(below: "Sources") {
      found.formUnion(Self.wideWrites(in: file))
    }
    for write in found.subtracting(Self.reasons.keys).sorted() {
      Issue.record("\(write): write in the scope of one user, or add a reason here.")
    }
    for write in Set(Self.reasons.keys).subtracting(found).sorted() {
      Issue.record("There is no write \(write). Remove its reason here.")
    }
  }

  @Test("the reader of writes finds their functions and scopes")
  func reader() {
    let file = SourceTree.File(
      path: "Sources/A/B.swift",
      text: """
          private init(_ a: Int) { write(in: .store) {} }
          /// func none(): in: .users
          func one() throws {
            try write(
              in: .users,
              {})
            try write(in: .user(ada)) {}
            let scope = WriteScope.store
        """)
    #expect(
      Self.wideWrites(in: file) == [
        "B.swift init store", "B.swift one users", "B.swift one store",
      ])
  }
}
