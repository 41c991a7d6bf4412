import Encoding
import IdentityToolkit
public import Scripting
import Synchronization

/// What must not be shown of a run: what scripts and the project file call secret, and what stands in
/// exchanges under names of secrets.
public final class RunSecrets: Sendable {
  /// Exchanges are read when something is about to be shown, and otherwise many at a time.
  private static let patience = 512

  let book = SecretBook()
  private let unread = Mutex<[ObservedExchange]>([])

  /// No secrets yet.
  public init() {}

  /// Hides a text from now on.
  func mark(_ secret: String) { book.add([secret], marked: true) }

  /// Hides passwords from now on.
  func mark(_ passwords: [String]) {
    book.add(passwords.filter(Self.isWorthHiding), marked: true)
  }

  /// Hides what a target's settings hold.
  func mark(_ context: ScriptContext) {
    mark(context.people.map(\.password))
    let secrets = context.environment.filter { SecretNames.holdSecrets($0.key) }
    book.add(secrets.values.filter(Self.isWorthHiding), marked: true)
  }

  private static func isWorthHiding(_ value: String) -> Bool {
    SecretNames.isSecret(value, under: "password")
  }

  /// Takes note of an exchange, whose secrets may come up in what is shown later.
  public func note(_ exchange: ObservedExchange) {
    unread.withLock { unread in
      unread.append(exchange)
      if unread.count >= Self.patience { read(&unread) }
    }
  }

  /// Learns what there is to be hidden so far.
  func learn() {
    // Under the lock: nobody must think the exchanges read before they are.
    unread.withLock { unread in if !unread.isEmpty { read(&unread) } }
  }

  private func read(_ unread: inout [ObservedExchange]) {
    var values: [String] = []
    for exchange in unread { values += ExchangeSecrets(exchange).values }
    book.add(values)
    unread.removeAll(keepingCapacity: true)
  }

  /// What is shown of an exchange.
  ///
  /// - Parameter number: Counted through its attempt from 1.
  public func event(_ exchange: ObservedExchange, number: Int) -> ExchangeEvent {
    learn()
    return ExchangeEvent(exchange, number: number, hiding: book)
  }

  /// The text without secrets.
  func clean(_ text: String) -> String { book.clean(text) }
}
