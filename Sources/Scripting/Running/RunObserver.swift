public import Delegates
public import Encoding

/// Hears what a script does, for whoever keeps a record of a run.
///
/// It is called on the thread of the script's loop, in the order in which things happen.
public protocol RunObserver: AnyObject, Sendable {
  /// Whether what journeys print, and their steps, come here and go nowhere else.
  var recordsJourneys: Bool { get }

  /// What the script may know of the run, such as its seed.
  var options: JSON { get }

  /// The journey engine tells of a step, an assertion or a line of its log.
  func emitted(_ kind: String, _ fields: JSON)

  /// The script says that a text must not be shown.
  func marked(secret: String)

  /// The text without what must not be shown, before the script cuts it, as what is left of a secret cannot
  /// be found any more.
  func clean(_ text: String) -> String

  /// An exchange is over, for better or worse.
  func exchanged(_ exchange: ObservedExchange)

  /// Somebody did something at a page.
  func acted(_ action: PageAction)

  /// How many exchanges there were in the journey at hand.
  var exchangeCount: Int { get }

  /// The script wants a name that all files of the run share to itself: whether it has it now, and the value
  /// that is kept there.
  func claim(_ name: String) -> (isHeld: Bool, value: JSON?)

  /// The script puts a value under a name it claimed, and lets others have it.
  func release(_ name: String, _ value: JSON?)
}

/// What only those need who keep a record of exchanges.
extension RunObserver {
  /// They do.
  public var recordsJourneys: Bool { true }
  /// Does nothing.
  public func exchanged(_ exchange: ObservedExchange) {}
  /// Does nothing.
  public func acted(_ action: PageAction) {}
  /// None.
  public var exchangeCount: Int { 0 }
}
