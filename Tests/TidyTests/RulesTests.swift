import BellhopTestSupport
import Testing

/// The rules of synchronisation and of security, each with its tests.
///
/// A rule without a test, or with a missing test, is a failure.
@Suite("The rules of synchronisation and of security")
struct RulesTests {
  struct Rule: Sendable, CustomTestStringConvertible {
    var number: Int
    var sentence: String
    var tests: [String]

    var testDescription: String { "\(number). \(sentence)" }
  }

  static let rules = [
    Rule(
      number: 1,
      sentence: "state rows, not a log: many changes of an item are one row of the delta",
      tests: [
        "many changes of an item are one row of the delta, in sequence order",
        "rows whose content the token has seen carry their state only, replaced ones all",
      ]),
    Rule(
      number: 2, sentence: "sequences become visible in order",
      tests: ["a poller beside sixteen writers misses no row"]),
    Rule(
      number: 3, sentence: "the answer comes after the disk, and commits are shared",
      tests: [
        "commits go to the disk before they are answered",
        "64 publishers at once share commits, and a refused one does not affect the others",
        "a cancelled request is completed all the same",
      ]),
    Rule(
      number: 4,
      sentence:
        "tokens say epoch and start; what is too old, ahead or of another life starts again",
      tests: [
        "a token of an earlier epoch starts again",
        "a data directory rolled back under its store is noticed, even when it has caught up",
        "data that goes back under a running store is noticed by its next write",
        "a loss of only a token's revocation is noticed, too",
        "a token that was changed, or is another user's, or another store's, starts again",
        "a token stays valid across a restart of the store",
        "the first delta after a start reports the extent of the history that clients know",
        "base with rows of a history that the store lost is rebuilt",
        "an ordinary start of the store rebuilds nothing",
      ]),
    Rule(
      number: 5, sentence: "registers are independent, and the store's commit order decides",
      tests: [
        "read on one device and dismissed on another both survive",
        "reading on one device and dismissing on another both survive, in either order",
        "setting the current value changes nothing",
      ]),
    Rule(
      number: 6, sentence: "content that the user has not seen is never handled",
      tests: [
        "content that the user has not seen is never handled",
        "content that the user has not seen is not handled",
        "of several items, each must have exactly the content that the user saw",
        "a dismissal made before a repeat still dismisses",
        "a dismissal of an earlier round does not dismiss the item that came back",
        "a dismissal made before a repeat dismisses, and one made before the item came back does not",
        "If-Match guards a change and a delete",
        "dismissing 'build ok' offline does not dismiss the 'disk full' that replaced it",
      ]),
    Rule(
      number: 7, sentence: "undo does nothing when another change came since",
      tests: [
        "undo does nothing when another change came since",
        "undo restores the value before, unless another change came since",
      ]),
    Rule(
      number: 8, sentence: "deletion is terminal",
      tests: [
        "a delete is terminal, purges the content and does nothing the second time",
        "after a delete the same app id is a new item",
        "a delete can be undone until it is sealed",
        "a process that quits seals its own deletes, and leaves others their grace period",
      ]),
    Rule(
      number: 9, sentence: "operations are numbered when sealed, and applied exactly once",
      tests: [
        "operations are applied in order, each exactly once",
        "a gap is refused with the number that comes next",
        "the same number with another id has diverged, and a new lineage heals it",
        "in a new epoch numbers begin at 1 and what was applied is not applied again",
        "a gap is renumbered from the store's number, a diverged outbox gets a new lineage",
        "renumbering includes what must be sent again",
        "a lost answer does not apply an operation twice",
        "beyond a device's limit the oldest operations are forgotten, and answered as unknown",
      ]),
    Rule(
      number: 10,
      sentence: "bulk operations are bounded by what was published, and undone item by item",
      tests: [
        "a bulk operation skips later publications, and its undo restores each item",
        "more items than a chunk holds are all changed, once, before the answer",
        "after a crash between chunks the rest is done at the next start, each item once",
      ]),
    Rule(
      number: 11, sentence: "placement is one function of the item and the store's time",
      tests: [
        "a snoozed item returns by itself, at the millisecond",
        "expiry takes precedence over every state except pinned",
        "items change placement when due, in bounded steps",
        "a clock that is set back undoes moves that came too early",
        "a snooze past the expiry is refused with the latest allowed time",
        "a scheduled item is listed and in the delta at once, and falls due without a write",
      ]),
    Rule(
      number: 12, sentence: "retention, and tombstones that live their time",
      tests: [
        "an item without expiration stays for the retention, a year",
        "a pinned item never leaves; once it is no longer pinned, it does",
        "a snoozed item does not leave before its snooze ends, and stays a day after",
        "75 seconds of a clock that is 400 days ahead delete nothing, and work continues",
        "tombstones live their lifetime, and the floor rises over them when they are dropped",
      ]),
    Rule(
      number: 13,
      sentence: "what is shown is base with the outbox applied; the token is never ahead",
      tests: [
        "a change shows at once and stays until base contains it",
        "rows may be ahead of the token, and older rows never win",
        "a pull that is no longer wanted changes nothing",
        "a power loss reverts pulled rows with their token, never an intent",
        "an acknowledged change stays shown while a delta has not reached its row",
        "a rebuild shows the old rows until the new ones are complete",
      ]),
    Rule(
      number: 14,
      sentence: "a first synchronisation is usable after its first page, and resurrects nothing",
      tests: [
        "a first synchronisation shows its first page and announces nothing",
        "a late page does not restore what the delta removed",
        "the token of a first synchronisation dates from the start of its paging",
        "a first synchronisation whose tombstones are dropped meanwhile starts again",
      ]),
    Rule(
      number: 15, sentence: "signals may be lost, doubled and late; polling adapts",
      tests: [
        "subscribing gives the current sequence at once, and then each change",
        "a channel that sends a signal is live, and a storm of signals is one pull",
        "a change made while earlier ones are read is signalled, though not enclosed",
        "a change by the device itself does not hide a pending one by another device",
        "a signal of another process that comes late takes no place of a higher one",
        "a lost change is signalled at once after a notice, and regularly without one",
        "enclosed changes need a base at their start; otherwise the store is asked for the rest",
        "a newer signal without changes triggers a pull, because the enclosed ones are incomplete",
        "a silent channel is closed after seventy seconds, polling goes on, and it comes back",
        "after the end of a working channel, the next one and the first poll wait for a random time",
        "the store's time for the next channel is obeyed within limits",
        "polling slows down while nothing happens and is fast after activity",
        "failures back off exponentially up to a minute, and a success resets that",
        "Retry-After is obeyed, and the network's return skips every other wait",
      ]),
    Rule(
      number: 16, sentence: "an item rings once per content",
      tests: [
        "each content is announced once, even when claimed twice",
        "an item that resurfaces moves and rings; an update in place does neither",
        "an item handled elsewhere leaves the tray",
        "a repeat rings at 10 and 100 only, once for several screens",
        "a new round rings at once and begins its thresholds again",
      ]),
    // The processes on one machine.
    Rule(
      number: 17, sentence: "one engine per account; the others write to the outbox and nudge it",
      tests: [
        "one process holds the lock, and the next gets it when it is released",
        "a lock on a file that was removed meanwhile is not held: two engines never run at once",
        "a nudge reaches all others and not its sender",
        "two processes' connections write to one file",
        "a newer schema is left unchanged",
        "a damaged header loses nothing: the outbox is rescued, the file set aside",
        "operations before and after a damaged page of the outbox are rescued",
      ]),
    // Publications.
    Rule(
      number: 18,
      sentence: "rules of users are rows, and act in publications without changing their content",
      tests: [
        "a rule is created, changed, moved and removed by operations, each once",
        "offline edits of two rules both survive",
        "an edit of a definition that another device changed is superseded, a move is not",
        "a removed rule is gone, in the delta and in a first synchronisation",
        "dropping a removed rule raises the floor",
        "rules of one user act on no other user",
        "two processes change one rule: one of them is superseded",
        "an edit of a definition that another device changed is not shown, a move of the rule is",
        "an operation that names a revision never creates a rule, and a removed one never returns",
        "a rule lowers, silences, tags, groups and moves, and what the publisher wrote stays",
        "a rule marks as read, dismisses, snoozes and pins, and each can be taken back",
        "what a rule did with an item is undone as one",
        "rules act in their order, and none acts after one that stops",
        "a quiet update runs the effect again, and neither reads, dismisses nor pins",
        "an effect that a user took back stays so until the item is published again",
        "a rule that was changed, disabled or removed decides about the next publication",
        "answers are the same whatever rules do, byte for byte, in every dialect",
        "a rule that one process stored acts at the other with its next publication",
        "a rule is applied to 1,200 items in chunks and undone as one",
        "a rule that was edited before the store began is superseded, one edited meanwhile goes on as confirmed",
        "after a crash the work goes on with the definition with which it began",
        "a rule that one process edits while another applies it acts as confirmed, or not at all",
        "the overlay of a rule shows what the store makes of it",
      ]),
    Rule(
      number: 19,
      sentence: "repeats collapse into the live item, and bring it back once it was handled",
      tests: [
        "forty equal publications are one item ×40",
        "a read item counts on and stays read, and a snoozed one stays snoozed",
        "a handled item comes back with the count from 1, and keeps the round",
        "a dismissal that arrives after a repeat dismisses, and one of the round before does not",
        "an item that has left the tray after its display time comes back",
        "a quiet update counts on without bringing the item back",
        "rules list a repeat again, and act in full on an item that comes back",
        "idempotency precedes replacement, and replacement collapse",
        "a further id changes and withdraws the item",
        "an item that is expired, scheduled, data or of another environment is not joined",
        "the answer is the same for an open, a read and a handled item",
        "answers are the same for an open, a read and a dismissed item, byte for byte",
        "two processes collapse one stream of publications into one item",
      ]),
  ]

  static let securityRules = [
    Rule(
      number: 1, sentence: "remote text reaches a terminal only after it was cleaned",
      tests: [
        "names that an earlier version accepted are listed, a line each, without control characters"
      ]
    ),
    Rule(
      number: 2, sentence: "every other way out has its own form",
      tests: [
        "notify-send gets options, an end of options, and two texts without markup or controls",
        "notify-send gets its options before the texts, and markup is escaped",
      ]),
    Rule(
      number: 3, sentence: "links are checked, and programs are started without a shell",
      tests: ["the program gets the link on its standard input, and without it there is no code"]),
    Rule(
      number: 4, sentence: "secrets are kept where only their owner can read them",
      tests: [
        "a token that others can read is refused, with the fix",
        "a symbolic link in place of a token is refused",
        "no command connects there, and each exits with 77 (SECURITY-4)",
        "a metrics token that others can read is refused with 78 (SECURITY-4)",
        "a folder that was replaced after the check of a backup is refused (SECURITY-4)",
        "a private key that its group may use is refused at a reload, and the old one stays",
      ]),
    Rule(
      number: 5, sentence: "every parser and connection has limits",
      tests: [
        "heads and addresses beyond limits, or without exactly one host, are refused by status",
        "the limit on open files bounds the connections of a listener",
        "fewer open files than 64 connections need are refused with 78 (SECURITY-5)",
        "concurrent checks share one write to the storage (SECURITY-5)",
        "the client is the last address that is not a trusted proxy",
      ]),
    Rule(
      number: 6, sentence: "addresses that others chose are checked, and slow ones delay no other",
      tests: [
        "addresses are classified by their purpose",
        "a user's slow name delays no other user, and a cancelled lookup never starts (SECURITY-6)",
      ]),
    Rule(
      number: 7, sentence: "every query is limited to one user, and open topics take nothing of it",
      tests: [
        "every endpoint has a line in the table, and the table has no other",
        "a page of another site does nothing without a token",
        "polls of open topics without a token take no slot of the user's lists (SECURITY-7)",
        "a publish token for any app leaves apps for the user's own devices (SECURITY-7)",
        "files that come without a token share one limit, which the user's own do not use",
        "a token for ci.* publishes to a topic that is an alias of such an app, and no other",
      ]),
    Rule(
      number: 8,
      sentence: "codes are used once, attempts are limited, and replacing a device is reported",
      tests: [
        "signing in again keeps the device and ends its older token",
        "of two redemptions at the same time one signs in the device (SECURITY-8)",
        "wrong codes at one process count at the others, also after a restart (SECURITY-8)",
        "grants survive a restart, and no code survives a restore (SECURITY-8)",
        "polling too early at one process raises the interval at all (SECURITY-8)",
      ]),
    Rule(
      number: 9,
      sentence: "an identity provider's token is checked, and risky claims bring a warning",
      tests: ["a claim that names the user brings a warning when the store starts (SECURITY-9)"]),
  ]

  @Test("every rule has its tests", arguments: rules + securityRules)
  func rulesAreTested(rule: Rule) throws {
    let texts = try SourceTree.swiftFiles(below: "Tests").filter {
      !$0.path.hasSuffix("TidyTests/RulesTests.swift")
    }
    .map(\.text)
    #expect(!rule.tests.isEmpty)
    for title in rule.tests {
      #expect(texts.contains { $0.contains("\"\(title)\"") }, "there is no test '\(title)'")
    }
  }

  @Test("no rule of the documents is missing from the list")
  func allRules() throws {
    for (prefix, rules) in [("SYNC", Self.rules), ("SECURITY", Self.securityRules)] {
      let path = try #require(CitationTests.documents[prefix])
      #expect(try rules.map { "\(prefix)-\($0.number)" } == CitationTests.defined(in: path))
    }
  }
}
