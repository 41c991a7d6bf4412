import Host
import System
import HTTP

/// The accounts that a comparison created at a server and has not deleted yet.
///
/// Names are recorded before each request is sent, so that a lost response hides no account.
struct Belongings {
  let run: RunName
  /// Uids that scenarios chose or responses returned.
  private(set) var uids: Set<String> = []
  private(set) var emails: Set<String> = []
  private(set) var phones: Set<String> = []
  /// The names whose accounts may exist: no response excludes it.
  private var likely: Set<String> = []
  /// The uids of accounts that existed before; they are never ours, whatever a response returns.
  var strangers: Set<String> = []
  /// When the comparison began by the server's clock, in milliseconds since 1970.
  var began: Int64 = 0
  /// Sign-ups without an e-mail address and without a response; their accounts cannot be found.
  private(set) var lostSignUps = 0
  /// Descriptions of what could not be undone.
  private(set) var left: [String] = []
  private(set) var deleted = 0
  /// Accounts in a deletion request whose result is not known yet.
  private var deleting: Set<String> = []

  init(run: RunName) { self.run = run }

  /// The number of uids, e-mail addresses and phone numbers.
  var count: Int { uids.count + emails.count + phones.count }
  var isEmpty: Bool { count == 0 }
  /// Whether phone numbers are in use, which the next scenario needs.
  var hasPhones: Bool { !phones.isEmpty }

  /// Records what a request may create, before it is sent.
  ///
  /// - Returns: The uids, e-mail addresses and phone numbers in the request.
  mutating func note(sending body: JSON, to path: String) -> Set<String> {
    guard !Self.onlyReads(path) else { return [] }
    switch body {
    case .object(let object):
      return object.entries.reduce(into: []) { $0.formUnion(note(sending: $1.value, to: path)) }
    case .array(let items):
      return items.reduce(into: []) { $0.formUnion(note(sending: $1, to: path)) }
    case .string(let text):
      if run.phones.contains(text) {
        phones.insert(text)
        return [text]
      }
      guard let start = text.firstRange(of: run.prefix) else { return [] }
      // An address may be inside a form, a token or JSON.
      let word = String(
        text[start.lowerBound...].prefix { $0.isLetter || $0.isNumber || "@.-_+".contains($0) })
      guard word.contains("@") else {
        uids.insert(word)
        return [word]
      }
      emails.insert(word.lowercased())
      return [word.lowercased()]
    default: return []
    }
  }

  private static func onlyReads(_ path: String) -> Bool {
    ["lookup", "query", "batchGet"].contains { path.hasSuffix(":\($0)") }
  }

  /// Records the response to a request that named accounts.
  mutating func note(answer response: HTTPResponse, to path: String, naming names: Set<String>) {
    let body = try? response.json()
    let message = body?["error"]?["message"]?.string ?? ""
    // When a blocking function refuses the sign-in after the sign-up, the account stays.
    let isOfFunction = message.hasPrefix("BLOCKING_FUNCTION") || message.hasPrefix("Error code: ")
    if response.status < 400 || isOfFunction { likely.formUnion(names) }
    guard !Self.onlyReads(path), let uid = body?["localId"]?.string, !uid.isEmpty else { return }
    uids.insert(uid)
    likely.insert(uid)
  }

  /// Records that no response shows whether these were created.
  mutating func note(unsettled names: Set<String>) { likely.formUnion(names) }

  /// Records that a request had no response.
  mutating func note(lost path: String, body: JSON?) {
    let name = path.split(separator: ":").last.map(String.init) ?? path
    let signsUp = ["signUp", "accounts"].contains(name) || path.hasSuffix("/accounts")
    guard signsUp, body?["email"] == nil, body?["localId"] == nil, body?["idToken"] == nil else {
      return
    }
    lostSignUps += 1
  }

  /// Records what could not be undone.
  mutating func note(left words: String) { left.append(words) }

  /// Whether the comparison created an account; only such accounts are deleted.
  func isOwn(_ account: JSON) -> Bool {
    guard let uid = account["localId"]?.string, !strangers.contains(uid) else { return false }
    if uid.hasPrefix(run.prefix) { return true }
    if account["email"]?.string?.lowercased().hasPrefix(run.prefix) == true { return true }
    // Allow for rounding, and for different clocks within one server.
    guard let made = account["createdAt"]?.string.flatMap(Int64.init), made >= began - 5000 else {
      return false
    }
    return uids.contains(uid) || account["phoneNumber"]?.string.map(phones.contains) == true
  }

  /// Records that a request is about to delete accounts.
  mutating func note(deleting uids: [String]) { deleting.formUnion(uids) }

  /// Counts the accounts that were deleted, given those that still exist.
  mutating func note(remaining uids: [String]) {
    deleted += deleting.subtracting(uids).count
    deleting.formIntersection(uids)
  }

  /// Forgets all names, after a check of the server.
  mutating func forget() {
    uids = []
    emails = []
    phones = []
    likely = []
    deleting = []
  }

  /// The maximum number of names in one lookup.
  static let lookupLimit = 100

  /// The bodies of the lookup requests that find the accounts.
  var lookups: [JSON] {
    let names =
      uids.sorted().map { ("localId", $0) } + emails.sorted().map { ("email", $0) }
      + phones.sorted().map { ("phoneNumber", $0) }
    return stride(from: 0, to: names.count, by: Self.lookupLimit).map { start in
      var members = JSONObject()
      for (key, value) in names[start..<min(start + Self.lookupLimit, names.count)] {
        members[key] = .array((members[key]?.array ?? []) + [.string(value)])
      }
      return .object(members)
    }
  }

  /// The uids, e-mail addresses and phone numbers of accounts that may exist.
  var names: [String] {
    [uids, emails, phones].flatMap { $0.intersection(likely).sorted() }
  }
}
