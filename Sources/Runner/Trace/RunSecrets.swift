import Encoding
import HTTP
import IdentityToolkit
public import Scripting
import Synchronization

/// What must not be shown of a run: what scripts and the project file call secret, and what stands in
/// exchanges under names of secrets.
public final class RunSecrets: Sendable {
  /// Exchanges are read when something is about to be shown, and otherwise many at a time.
  private static let patience = 512
  private static let patienceInBytes = 8 << 20

  private struct Unread {
    var exchanges: [ObservedExchange] = []
    var bytes = 0
  }

  let book = SecretBook()
  private let unread = Mutex(Unread())

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
      unread.exchanges.append(exchange)
      unread.bytes += exchange.request.body.count
      if case .success(let response) = exchange.result { unread.bytes += response.body.count }
      let isFull =
        unread.exchanges.count >= Self.patience || unread.bytes > Self.patienceInBytes
      if isFull { read(&unread) }
    }
  }

  /// Learns what there is to be hidden so far.
  func learn() {
    // Under the lock: nobody must think the exchanges read before they are.
    unread.withLock { unread in if !unread.exchanges.isEmpty { read(&unread) } }
  }

  private func read(_ unread: inout Unread) {
    for exchange in unread.exchanges { book.add(ExchangeSecrets(exchange).values) }
    unread.exchanges.removeAll(keepingCapacity: true)
    unread.bytes = 0
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
