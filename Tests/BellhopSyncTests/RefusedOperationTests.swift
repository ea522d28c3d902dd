import BellhopCache
import BellhopModel
import BellhopSync
import Testing

@Suite("An operation that the store never accepts")
struct RefusedOperationTests {
  private let now = Timestamp(seconds: 1_800_000_000)

  @Test("only the core decides to seal a held operation")
  func held() throws {
    let identity = CacheIdentity(account: AccountName("me")) { Lineage("first") }
    let cache = MemoryCache(identity: identity)
    let steps = CacheSteps(cache: cache, newLineage: { Lineage("second") }, announces: false)
    let delete = Operation(
      id: OperationID(high: 1, low: 1), target: .item(NotificationID(high: 1, low: 1)),
      mutation: .delete)
    _ = try cache.enqueue([delete], now: now, sealAfter: .seconds(5))
    var news = CacheSteps.News()
    let later = now.advanced(by: .seconds(400 * 86_400))
    #expect(try steps.summary(now: later, &news).ready == 0)
    #expect(try steps.summary(sealing: .due, now: later, &news).ready == 1)
  }

  @Test(
    "a refused operation is reported, also by the next process, and the others keep their order",
    arguments: [ItemCommand.dismiss.mutation, .delete])
  func told(mutation: BellhopModel.Operation.Mutation) throws {
    let identity = CacheIdentity(account: AccountName("me")) { Lineage("first") }
    let cache = MemoryCache(identity: identity)
    let steps = CacheSteps(cache: cache, newLineage: { Lineage("second") }, announces: false)
    let operations = [mutation, ItemCommand.read.mutation].enumerated().map { number, mutation in
      Operation(
        id: OperationID(high: 1, low: UInt64(number)),
        target: .item(NotificationID(high: 1, low: 1)), mutation: mutation)
    }
    _ = try cache.enqueue(operations, now: now, sealAfter: nil)
    var news = CacheSteps.News()
    _ = try steps.perform(.refuseFirst(reason: "no"), now: now, &news)
    let refused = RejectedOperation(operation: operations[0], result: .unacceptable(.invalid))
    #expect(news.rejected == [refused])
    #expect(try cache.unreportedRejections() == [refused])
    let batch = try cache.sealedBatch(limit: 9)
    #expect(batch.operations.map(\.operation) == [operations[1]])
    #expect(batch.operations.map(\.number) == [1])
  }
}
