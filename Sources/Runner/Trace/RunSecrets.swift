import Encoding
import HTTP
import IdentityToolkit
public import Scripting
import Synchronization

/// What must not be shown of a run: what scripts and the project file call secret, and what stands in
/// exchanges under names of secrets.
public final class RunSecrets: Sendable {
  /// How many exchanges are read at a time, beside the journeys.
  private static let batch = 64
  /// How many may wait; whoever makes more reads them itself.
  private static let patience = 4096
  private static let patienceInBytes = 8 << 20

  private struct Unread {
    var sources: [[UInt8]] = []
    /// Sources that were noted before: a file may run many times.
    var known: Set<[UInt8]> = []
    var exchanges: [ObservedExchange] = []
    var bytes = 0
    var isAnnounced = false
  }

  let book = SecretBook()
  private let unread = Mutex(Unread())
  /// Held while exchanges are read: nobody must think them read before they are.
  private let reading = Mutex(SeenValues())

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
    mark(context.people.map(\.password) + context.namedSecrets)
  }

  private static func isWorthHiding(_ value: String) -> Bool {
    SecretNames.isSecret(value, under: "password")
  }

  /// Takes note of an exchange, whose secrets may come up in what is shown later.
  ///
  /// It is read when something is about to be shown, or beside the journeys: they need not wait for that.
  public func note(_ exchange: ObservedExchange) {
    let (isFull, isDue) = unread.withLock { unread in
      unread.exchanges.append(exchange)
      unread.bytes += exchange.request.body.count
      if case .success(let response) = exchange.result { unread.bytes += response.body.count }
      let isFull =
        unread.exchanges.count >= Self.patience || unread.bytes > Self.patienceInBytes
      let isDue = unread.exchanges.count >= Self.batch && !unread.isAnnounced
      if isDue { unread.isAnnounced = true }
      return (isFull, isDue)
    }
    if isFull {
      learn()
    } else if isDue {
      Task.detached(priority: .utility) { self.learn() }
    }
  }

  /// Hides the secrets that a script's source gives.
  func note(source: [UInt8]) {
    unread.withLock { if $0.known.insert(source).inserted { $0.sources.append(source) } }
  }

  /// Learns what there is to be hidden so far.
  func learn() {
    reading.withLock { seen in
      let (sources, exchanges) = unread.withLock { unread in
        defer { unread = Unread(known: unread.known) }
        return (unread.sources, unread.exchanges)
      }
      for source in sources {
        mark(SourceSecrets(String(decoding: source, as: UTF8.self)).values)
      }
      for exchange in exchanges { book.add(ExchangeSecrets(exchange, seen: &seen).values) }
    }
  }

  /// What is shown of an exchange.
  ///
  /// - Parameter number: Counted through its attempt from 1.
  public func event(_ exchange: ObservedExchange, number: Int) -> ExchangeEvent {
    learn()
    return ExchangeEvent(exchange, number: number, hiding: book)
  }

  /// What is shown of one text, in bytes.
  static let longestText = 1 << 20
  /// What is read beyond that, as nobody knows a secret of which the end is cut off.
  private static let longestSecret = 64 << 10

  /// The text without secrets, and without what is too much of it: a journey is not stopped in here.
  ///
  /// - Parameter reading: How fields are looked for in it; nil where there are none.
  func clean(_ text: String, as reading: LooseFields.Reading? = nil) -> String {
    let size = text.utf8.count
    guard size > Self.longestText + Self.longestSecret else { return masked(text, reading) }
    let read = masked(text.cut(at: Self.longestText + Self.longestSecret), reading)
    let shown = read.cut(at: read.utf8.count - Self.longestSecret)
    return "\(shown)… (\(size - Self.longestText) bytes left out)"
  }

  private func masked(_ text: String, _ reading: LooseFields.Reading?) -> String {
    let clean = book.clean(text)
    return reading.map { LooseFields.masking(clean, by: Redaction.mask, as: $0) } ?? clean
  }
}

extension String {
  /// The first bytes, without a character that they end in the middle of.
  fileprivate func cut(at count: Int) -> String {
    String(self[..<utf8.index(startIndex, offsetBy: max(count, 0))])
  }
}
