import HTTP
public import IdentityToolkit
import SignIn
public import System
import Synchronization

/// The secrets of a run, which no output may show.
///
/// They are what scripts and the project file mark as secret, and values under secret names in exchanges.
public final class RunSecrets: Sendable {
  /// How many exchanges are read at once in the background.
  private static let batch = 64
  /// How many may be unread; above it, the thread that adds one reads them itself.
  private static let patience = 4096
  private static let patienceInBytes = 8 << 20

  private struct Unread {
    var sources: [[UInt8]] = []
    /// Sources that were added before, because a file may run many times.
    var known: Set<[UInt8]> = []
    var exchanges: [ObservedExchange] = []
    var bytes = 0
    var isAnnounced = false
  }

  /// Replaces the secrets in texts.
  public let masker: SecretMasker
  /// Replaces what is masked even if secrets are shown: secrets of the environment and the project file.
  private let settings: SecretMasker
  /// Whether reports show the secrets of the run.
  public let areShown: Bool
  private let unread = Mutex(Unread())
  /// Held while exchanges are read, so that no other thread takes them for read too early.
  private let reading = Mutex(SeenValues())

  /// Creates an empty set.
  ///
  /// - Parameter areShown: Whether to show secrets, except those of the environment and the project file.
  public init(areShown: Bool = false) {
    self.areShown = areShown
    let labels = SecretLabels()
    masker = SecretMasker(labels: labels)
    settings = SecretMasker(labels: labels, findsTokens: false)
  }

  /// Hides a secret that the user marked, however short.
  ///
  /// - Parameter isSetting: Whether it stays masked if secrets are shown.
  public func mark(_ secret: String, kind: SecretKind = .secret, isSetting: Bool = false) {
    masker.add([secret], kind: kind, marked: true)
    if isSetting { settings.add([secret], kind: kind, marked: true) }
  }

  /// Hides secrets that the user marked, however short.
  public func mark(_ secrets: [String], kind: SecretKind = .secret) {
    mark(secrets.map { ($0, kind) })
  }

  private func mark(_ secrets: [(value: String, kind: SecretKind)]) {
    masker.add(secrets.filter { Self.isWorthHiding($0.value) }, marked: true)
  }

  private static func isWorthHiding(_ value: String) -> Bool {
    SecretNames.isSecret(value, under: "password")
  }

  /// Records an exchange, whose secrets may occur in later output.
  ///
  /// It is read before the next output, or in the background, so that journeys need not wait.
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

  /// Marks the secrets in a script's source.
  public func note(source: [UInt8]) {
    unread.withLock { if $0.known.insert(source).inserted { $0.sources.append(source) } }
  }

  /// Reads all unread sources and exchanges for secrets.
  public func learn() {
    reading.withLock { seen in
      let (sources, exchanges) = unread.withLock { unread in
        defer { unread = Unread(known: unread.known) }
        return (unread.sources, unread.exchanges)
      }
      for source in sources {
        mark(SourceSecrets(String(decoding: source, as: UTF8.self)).namedValues)
      }
      for exchange in exchanges { masker.add(ExchangeCleaner.secrets(of: exchange, seen: &seen)) }
    }
  }

  /// The maximum size of one shown text, in bytes.
  public static let longestText = 1 << 20
  /// How far beyond that secrets are searched, because a secret that is cut off is not recognized.
  private static let longestSecret = 64 << 10

  /// Removes secrets from a text and cuts it at `longestText`; a journey cannot be stopped in here.
  ///
  /// - Parameter reading: How to find fields in the text; nil for none.
  public func clean(_ text: String, as reading: LooseFields.Reading? = nil) -> String {
    let size = text.utf8.count
    guard size > Self.longestText + Self.longestSecret else { return masked(text, reading) }
    let read = masked(text.cut(at: Self.longestText + Self.longestSecret), reading)
    let shown = read.cut(at: read.utf8.count - Self.longestSecret)
    return "\(shown)… (\(size - Self.longestText) bytes left out)"
  }

  private func masked(_ text: String, _ reading: LooseFields.Reading?) -> String {
    guard let reading, !areShown else { return shownMasker.clean(text) }
    let fields = LooseFields(text, as: reading)
    // Later texts may repeat a value without its name.
    masker.add(fields.unusual)
    return masker.clean(text, fields: fields.secrets)
  }

  /// Removes secrets from a text that a script attached: also the values of fields in HTML, and of columns in CSV.
  ///
  /// - Parameter type: The media type of the text.
  public func clean(attached bytes: [UInt8], type: String) -> String? {
    let text = String(validating: bytes, as: UTF8.self)
    guard !areShown else { return text.map { clean($0) } }
    if BodyKind(type, bytes) == .html, let page = ShownPage.html(bytes, type: type) {
      masker.add(LooseFields(String(decoding: bytes, as: UTF8.self), as: .words).unusual)
      return clean(page, as: .words)
    }
    guard let text, BodyKind.mimeType(type) == "text/csv" else {
      return text.map { clean($0, as: .words) }
    }
    let columns = SecretColumns(text).fields
    masker.add(columns.map { ($0.value, $0.kind) })
    return clean(masker.clean(text, fields: columns), as: .words)
  }

  /// Replaces in texts what may not be shown.
  private var shownMasker: SecretMasker { areShown ? settings : masker }

  /// Prepares to clean an exchange for display.
  ///
  /// - Parameter isBrowser: Whether the browser sent it, so that any field may be an answer to a page.
  public func cleaner(isBrowser: Bool) -> ExchangeCleaner {
    ExchangeCleaner(shownMasker, isBrowser: isBrowser, as: areShown ? nil : .numbered)
  }

  /// A value for snapshots: each secret is replaced by its kind, also if secrets are shown.
  public func byKind(_ value: JSON) -> JSON {
    learn()
    masker.add(ExchangeCleaner.secrets(of: value))
    var cleaner = ExchangeCleaner(masker, isBrowser: false, as: .kind)
    return keysByKind(cleaner.json(value))
  }

  /// A value whose keys have no secrets either; equal keys get numbers.
  private func keysByKind(_ value: JSON) -> JSON {
    switch value {
    case .array(let items): return .array(items.map(keysByKind))
    case .object(let object):
      let members = object.entries.map { key, member in
        (key: key, shown: masker.clean(key, as: .kind), value: keysByKind(member))
      }
      // The order of the keys themselves differs from run to run.
      let secret = members.filter { $0.shown != $0.key }
        .sorted { ($0.shown, $0.value.encoded()) < ($1.shown, $1.value.encoded()) }
      var counts: [String: Int] = [:]
      let named = secret.map { member in
        counts[member.shown, default: 0] += 1
        let number = counts[member.shown] ?? 1
        return (number == 1 ? member.shown : "\(member.shown) (\(number))", member.value)
      }
      return .object(
        JSONObject(members.filter { $0.shown == $0.key }.map { ($0.key, $0.value) } + named))
    default: return value
    }
  }

  /// The label of a text that is a secret as a whole, by its value or by the name of its field; nil for other texts.
  public func label(of text: String, under name: String?) -> String? {
    learn()
    let clean = shownMasker.clean(text)
    if clean != text, SecretLabels.isLabel(clean) { return clean }
    guard let name, !areShown, SecretNames.isSecretField(name, text) else { return nil }
    return masker.label(text, kind: SecretNames.kind(of: name))
  }
}

extension String {
  /// Returns the first bytes, without a character that would be cut in half.
  fileprivate func cut(at count: Int) -> String {
    String(self[..<utf8.index(startIndex, offsetBy: max(count, 0))])
  }
}

/// For the prompt and other code that shows script values outside of journeys.
extension RunSecrets {
  /// Removes the secrets in a target's settings from all later output.
  public func hide(_ context: ScriptContext) {
    mark(context.people.map(\.password), kind: .password)
    let named = context.namedSecrets.filter(Self.isWorthHiding)
    masker.add(named, marked: true)
    settings.add(named, marked: true)
  }

  /// Removes the secrets in a script's source from all later output.
  public func hide(source: [UInt8]) { note(source: source) }

  /// A script's source for reports.
  public func shown(source: [UInt8]) -> ShownSource {
    ShownSource(source, masksLiterals: !areShown) { self.clean($0) }
  }

  /// Removes known secrets from a message, and values under secret names.
  func clean(message: String) -> String {
    learn()
    return clean(message, as: .words)
  }

  /// Removes known secrets from a text.
  public func clean(_ text: String) -> String {
    learn()
    return clean(text, as: nil)
  }
}

/// Values that were already read for secrets.
///
/// Most values of an exchange also occur in the one before.
struct SeenValues {
  /// Above this, all are read again, long before `SecretMasker` drops the first of them.
  private static let capacity = 4096

  private var hashes: Set<Int> = []

  /// Whether a value occurs under a name for the first time.
  mutating func isNew(_ value: String, under name: String) -> Bool {
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(value)
    if hashes.count >= Self.capacity { hashes.removeAll(keepingCapacity: true) }
    return hashes.insert(hasher.finalize()).inserted
  }
}

/// Collects the secrets that a script or session sends and receives, to mask them in output.
public final class SecretObserver: RunObserver {
  /// The secrets of the run.
  public let secrets = RunSecrets()
  /// Whether the run records journeys.
  public let recordsJourneys: Bool

  /// - Parameter recordsJourneys: Whether the output of journeys goes only to the observer.
  public init(recordsJourneys: Bool) { self.recordsJourneys = recordsJourneys }

  /// Adds the secrets in the settings of a target.
  public func begin(_ context: ScriptContext) { secrets.hide(context) }

  /// No options.
  public var options: JSON { [:] }

  /// Ignores the event.
  public func emitted(_ kind: String, _ fields: JSON) {}

  /// Hides the secret from now on.
  public func marked(secret: String, kind: SecretKind, isSetting: Bool) {
    secrets.mark(secret, kind: kind, isSetting: isSetting)
  }

  /// The text without the secrets of the run.
  public func clean(_ text: String) -> String { secrets.clean(text) }

  /// The label of a text that is a secret of the run.
  public func label(of text: String, under name: String?) -> String? {
    secrets.label(of: text, under: name)
  }

  /// Hides the secrets of the exchange from now on.
  public func exchanged(_ exchange: ObservedExchange) { secrets.note(exchange) }

  /// Always grants the name, because a prompt does not run in parallel with others.
  public func claim(_ name: String) -> (isHeld: Bool, value: JSON?) { (true, nil) }

  /// Ignores the value.
  public func release(_ name: String, _ value: JSON?) {}
}
