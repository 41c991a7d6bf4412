import Encoding
import HTTP

/// What a comparison made at a server and has not deleted yet.
///
/// It grows with each request that is sent, so that an answer that was lost hides nothing.
struct Belongings {
  let run: RunName
  /// Uids that scenarios chose, or that answers had.
  private(set) var uids: Set<String> = []
  private(set) var emails: Set<String> = []
  private(set) var phones: Set<String> = []
  /// The accounts that were there before: never ours, whatever an answer says.
  var strangers: Set<String> = []
  /// When the comparison began, in milliseconds since 1970, by the clock of the server.
  var began: Int64 = 0
  /// Sign-ups without an e-mail address whose answer was lost: nothing finds their accounts.
  private(set) var lostSignUps = 0
  /// What could not be taken back, in words.
  private(set) var left: [String] = []
  /// How many accounts were deleted.
  private(set) var deleted = 0

  init(run: RunName) { self.run = run }

  var isEmpty: Bool { uids.isEmpty && emails.isEmpty && phones.isEmpty }
  /// Whether numbers are taken that the next scenario needs.
  var hasPhones: Bool { !phones.isEmpty }

  /// Notes what a request may make, before it is sent.
  mutating func note(sending body: JSON) {
    switch body {
    case .object(let object): for entry in object.entries { note(sending: entry.value) }
    case .array(let items): for item in items { note(sending: item) }
    case .string(let text):
      if run.phones.contains(text) { phones.insert(text) }
      guard let start = text.firstRange(of: run.prefix) else { return }
      // An address may stand inside of a form, a token or JSON.
      let word = String(
        text[start.lowerBound...].prefix { $0.isLetter || $0.isNumber || "@.-_+".contains($0) })
      if word.contains("@") { emails.insert(word.lowercased()) } else { uids.insert(word) }
    default: return
    }
  }

  /// Notes whose account an answer is about.
  mutating func note(answer: JSON, to path: String) {
    let reads = ["lookup", "query", "batchGet"].contains { path.hasSuffix(":\($0)") }
    guard !reads, let uid = answer["localId"]?.string, !uid.isEmpty else { return }
    uids.insert(uid)
  }

  /// Notes that no answer came to a request.
  mutating func note(lost path: String, body: JSON?) {
    let name = path.split(separator: ":").last.map(String.init) ?? path
    let signsUp = ["signUp", "accounts"].contains(name) || path.hasSuffix("/accounts")
    guard signsUp, body?["email"] == nil, body?["localId"] == nil, body?["idToken"] == nil else {
      return
    }
    lostSignUps += 1
  }

  /// Notes what could not be taken back.
  mutating func note(left words: String) { left.append(words) }

  /// Whether an account is the comparison's own; only such a one is deleted.
  func isOwn(_ account: JSON) -> Bool {
    guard let uid = account["localId"]?.string, !strangers.contains(uid) else { return false }
    if uid.hasPrefix(run.prefix) { return true }
    if account["email"]?.string?.lowercased().hasPrefix(run.prefix) == true { return true }
    // Seconds may be rounded, and two machines of one server need not agree on the time.
    guard let made = account["createdAt"]?.string.flatMap(Int64.init), made >= began - 5000 else {
      return false
    }
    return uids.contains(uid) || account["phoneNumber"]?.string.map(phones.contains) == true
  }

  /// Takes note that accounts are gone.
  mutating func forget(deleted uids: [String], checked: Bool) {
    deleted += uids.count
    guard checked else { return }
    self.uids = []
    emails = []
    phones = []
  }

  /// The bodies of requests that find the accounts, by a hundred.
  var lookups: [JSON] {
    func pieces(_ values: Set<String>, _ name: String) -> [JSON] {
      let sorted = values.sorted()
      return stride(from: 0, to: sorted.count, by: 100).map { start in
        [name: .array(sorted[start..<min(start + 100, sorted.count)].map(JSON.string))]
      }
    }
    return pieces(uids, "localId") + pieces(emails, "email") + pieces(phones, "phoneNumber")
  }

  /// All that it may have made, in words.
  var words: [String] { (uids.sorted() + emails.sorted() + phones.sorted()) }
}
