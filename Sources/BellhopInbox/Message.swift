public import BellhopModel
public import BellhopScreen
public import BellhopText

/// Something that happened. The whole screen is a function of the messages it was given.
///
/// Time comes in by ``tick(_:)`` alone: send one before each batch of other messages, and when
/// ``InboxState/nextWake`` is reached.
public enum Message: Sendable {
  /// The first message: asks for everything that the first paint needs.
  case start
  /// The time now, by the store's clock.
  case tick(Timestamp)
  /// The person's keys, clicks and pasted text.
  case person(PersonInput)
  case resize(Size)
  /// The terminal got or lost the focus.
  case focusChanged(Bool)
  /// The program came back from suspension, or the machine from sleep.
  case resumed
  /// The answer to ``CacheRead/window(_:_:)``.
  case windowLoaded(ListQuery, WindowRequest, LoadedWindow)
  /// The answer to ``CacheRead/detail(_:serial:)``; nil when the item is gone.
  case detailLoaded(ItemKey, serial: Int, ItemDetail?)
  /// The answer to ``CacheRead/counts(serial:of:)``.
  case countsLoaded(serial: Int, InboxCounts)
  /// The answer to ``SlowRead/countDays(_:serial:of:)``: the days as far as they could be counted.
  case daysCounted(serial: Int, [DayCount])
  /// The answer to ``SlowRead/countViews(_:serial:of:)``: a number for each, or none.
  case viewsCounted(serial: Int, [Int?])
  /// The answer to ``SlowRead/measure(_:serial:)``.
  case measured(serial: Int, SelectionExtent)
  /// An effect that reads could not, with the line that says why. What is shown stays, and the same
  /// is asked for again after a moment: a disk may fail once.
  case readFailed(CacheRead, Notice)
  /// The cache has changed, by whatever hand; may come as often as it likes.
  case dataChanged
  /// Registers of these few items have changed, or the items are gone. ``dataChanged`` follows soon.
  case itemsChanged([ItemKey])
  /// The answer to ``CacheRead/items(_:)``: those of the items that are still there.
  case itemsLoaded([ItemKey], [RowSummary])
  /// Operations of ``CacheChange/perform(account:operations:sealAfter:)``, ``CacheChange/performOnMarked(_:)``
  /// or ``CacheChange/performBulk(_:)`` are committed to the cache, and it shows what they do.
  case performed([OperationID])
  /// The answer to ``CacheChange/cancelDelete(account:operation:)``: whether the delete was still there
  /// to be taken out.
  case deleteCancelled(OperationID, isDone: Bool)
  /// Operations could not be kept: what the screen shows of them is taken back, and the line shown.
  case operationsFailed([OperationID], SafeText)
  /// How an account stands with its store; nil where there is one account only.
  case connectionChanged(ConnectionStatus, of: AccountName? = nil)
  /// A line for the person, such as an operation that the store refused. It stays until the next
  /// key.
  case notice(Notice)
  /// New content of an account that this process is to announce. With `isReturn` it came together
  /// while nobody was there.
  case announced([Announcement], of: AccountName, isReturn: Bool)
  /// The answer to ``TerminalEffect/loadThemes``: all names, and the one that is shown.
  case themesLoaded([String], current: String)
  /// The answer to ``CacheRead/actions(_:)``: the item whole; nil when it is gone.
  case actionsLoaded(ItemKey, ItemDetail?)
  /// The answer to ``CacheRead/attachments(_:)``: the item whole; nil when it is gone.
  case attachmentsLoaded(ItemKey, ItemDetail?)
  /// How far a file of ``AttachmentEffect/fetch(_:)`` is; the total as the store says it.
  case fetchMoved(serial: Int, received: Int, total: Int?)
  /// The outcome of ``AttachmentEffect/fetch(_:)``.
  case fetchEnded(serial: Int, AttachmentOutcome)
  /// The outcome of ``AttachmentEffect/drawPicture(_:)``.
  case pictureDrawn(serial: Int, PictureOutcome)
  /// The answer to ``TerminalEffect/askGraphics``; again when something has changed in it.
  case graphicsKnown(PictureMeans)
  /// The answer to ``CacheRead/texts(_:_:)``: of the items that are still there.
  case textsLoaded(TextUse, [ItemText])
  /// The answer to ``CacheRead/inspection(_:serial:)``; nil when the item is gone.
  case inspected(ItemKey, serial: Int, ItemInspection?)
  /// The outcome of ``ItemEffect/runAction(_:)``.
  case actionFinished(ActionRun, ActionOutcome)
  /// A program opens the link of ``ItemEffect/openLink(_:)``.
  case linkOpened(LinkOrder)
  /// No program opens the link of ``ItemEffect/openLink(_:)``; with a line, unless there is no browser.
  case linkUnopened(LinkOrder, Notice?)
  /// What the person wants of all apps together: do not disturb, quiet hours.
  case attentionChanged(AppSettings, of: AccountName)
  case firstRunHelpChanged(FirstRunHelp)
  /// The answer to ``CacheRead/apps``: what the person calls each app that is known, by its name.
  case appsLoaded([String: String])
  /// The answer to ``CacheRead/appOverviews(serial:of:)``.
  case appOverviewsLoaded(serial: Int, [AppOverview])
  /// The answer to ``ActivityEffect/loadDevices(serial:of:)``: as many as a store told, and why there are
  /// not more.
  case devicesLoaded(serial: Int, [DeviceSummary], problem: SafeText?)
  /// The answer to ``ActivityEffect/loadActivity(serial:hours:of:)``.
  case activityLoaded(serial: Int, ActivityReport)
  /// What the person wants of the apps of an account, with every change that is committed; those
  /// with a change that waits to be sent.
  case appsConfigured([AppSettings], waiting: Set<String>, of: AccountName)
}

/// Input of the person.
public enum PersonInput: Sendable {
  case key(Key)
  /// Text from the clipboard; it is only ever taken as text, never as keys.
  case paste(String)
  case mouse(MouseEvent)
}

/// A question to the cache.
public enum CacheRead: Hashable, Sendable {
  case window(ListQuery, WindowRequest)
  case detail(ItemKey, serial: Int)
  /// The rows of some items, in the lists or not.
  case items([ItemKey])
  /// The counts of one account, or of all.
  case counts(serial: Int, of: AccountName?)
  /// The item whose actions the person wants to see.
  case actions(ItemKey)
  /// The item whose attachments the person wants to see.
  case attachments(ItemKey)
  /// The texts of some items, for a use.
  case texts([ItemKey], TextUse)
  /// All that is known of an item.
  case inspection(ItemKey, serial: Int)
  /// The names that the person gave to the apps, for the completion of a filter.
  case apps
  /// The items of each app, counted, of one account or of all.
  case appOverviews(serial: Int, of: AccountName?)
}

/// Something to be done outside, at once and without blocking the next message. Each kind of effect is
/// carried out in one place.
public enum Effect: Hashable, Sendable {
  /// Read the cache, then say what was found; ``Message/readFailed(_:_:)`` when it cannot be read.
  case read(CacheRead)
  /// Read what may take its time.
  case slow(SlowRead)
  /// Append to the outbox, or take out of it.
  case change(CacheChange)
  case item(ItemEffect)
  case attachment(AttachmentEffect)
  case activity(ActivityEffect)
  case store(StoreEffect)
  /// Write down for the next start.
  case remember(Remembered)
  /// Work of the terminal, and of the loop that reads it.
  case terminal(TerminalEffect)
}
