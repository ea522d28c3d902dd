package import BellhopModel
internal import Synchronization

/// What is told of a page's changes, written once for all readers who are told it in the same form.
///
/// It lives as long as its page. What goes beyond its room is written for each reader by itself.
package final class SharedTexts: Sendable {
  /// All that a text depends on, its page's rows aside.
  package struct Key: Hashable, Sendable {
    var item: NotificationID
    /// What is told of the item.
    var event: String
    package var form: String
    /// The item's app as the reader calls it, and the store's address as the reader knows it.
    var topic: String
    var base: String

    package init(
      item: NotificationID, event: String, form: String = "", topic: String = "", base: String = ""
    ) {
      self.item = item
      self.event = event
      self.form = form
      self.topic = topic
      self.base = base
    }

    fileprivate var byteCount: Int {
      event.utf8.count + form.utf8.count + topic.utf8.count + base.utf8.count
    }
  }

  private struct State {
    var texts: [Key: String] = [:]
    var byteCount = 0
    var writes = 0
  }

  /// As much as a page that is kept has of content; readers who each give the store another address
  /// share nothing, and must not fill the memory with it.
  private static let bytesMax = 64 << 10
  /// For what an entry takes beside its texts.
  private static let entryBytes = 128

  private let state = Mutex(State())

  /// How often a text was written.
  var writes: Int { state.withLock { $0.writes } }
  var byteCount: Int { state.withLock { $0.byteCount } }

  /// The text for a key. Two who ask for it at once may both write it.
  package func text(_ key: Key, _ write: () -> String) -> String {
    if let known = state.withLock({ $0.texts[key] }) { return known }
    let text = write()
    state.withLock { state in
      state.writes += 1
      let count = text.utf8.count + key.byteCount + Self.entryBytes
      guard state.texts[key] == nil, state.byteCount + count <= Self.bytesMax else { return }
      state.texts[key] = text
      state.byteCount += count
    }
    return text
  }
}
