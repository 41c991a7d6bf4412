import IdentityToolkit
import System

/// Reads the members of an object that a user or a script wrote, and rejects unknown members.
///
/// No error message quotes a value, because the value may be a token or a password.
struct MemberReader {
  /// The prefix of every error message: the operation's name.
  private let place: String
  private let members: JSONObject

  /// Throws if `members` has a name that is not in `names`.
  init(_ members: JSONObject, of place: String, names: [String]) throws(RowFailure) {
    self.place = place
    self.members = members
    for key in members.keys where !names.contains(key) {
      let advice =
        nearestName(to: key, among: names).map { "did you mean '\($0)'?" }
        ?? "there are \(names.joined(separator: ", "))"
      throw fault("there is no member '\(Redaction().clean(key))'; \(advice)")
    }
  }

  /// The member's value; nil if it is missing or null.
  func value(_ name: String) -> JSON? {
    guard let value = members[name], !value.isNull else { return nil }
    return value
  }

  /// A non-empty string, or nil if the member is missing.
  func textIfAny(_ name: String) throws(RowFailure) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string else { throw fault("\(name) must be a string") }
    guard !text.isEmpty else { throw fault("\(name) is empty") }
    return text
  }

  func text(_ name: String) throws(RowFailure) -> String {
    guard let text = try textIfAny(name) else { throw fault("\(name) is missing") }
    return text
  }

  /// A uid: 1 to 128 UTF-16 code units, as the backend counts them.
  func uid(_ name: String = "uid") throws(RowFailure) -> String {
    let uid = try text(name)
    guard uid.utf16.count <= 128 else {
      throw fault("\(name) has \(uid.utf16.count) characters, and a uid has at most 128")
    }
    return uid
  }

  func flagIfAny(_ name: String) throws(RowFailure) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let flag = value.bool else { throw fault("\(name) must be true or false") }
    return flag
  }

  func whole(_ name: String) throws(RowFailure) -> Int64 {
    guard let value = value(name) else { throw fault("\(name) is missing") }
    guard let number = value.integer else { throw fault("\(name) must be a whole number") }
    return number
  }

  func objectIfAny(_ name: String) throws(RowFailure) -> JSONObject? {
    switch value(name) {
    case nil: return nil
    case .object(let object)?: return object
    // A Lua script has one empty table for both `[]` and `{}`.
    case .array(let items)? where items.isEmpty: return JSONObject()
    default: throw fault("\(name) must be a table with names")
    }
  }

  func object(_ name: String) throws(RowFailure) -> JSONObject {
    guard let object = try objectIfAny(name) else { throw fault("\(name) is missing") }
    return object
  }

  /// A list of non-empty strings, or nil if the member is missing.
  func textsIfAny(_ name: String) throws(RowFailure) -> [String]? {
    let items: [JSON]
    switch value(name) {
    case nil: return nil
    case .array(let given)?: items = given
    case .object(let object)? where object.isEmpty: items = []
    default: throw fault("\(name) must be a list of strings")
    }
    var texts: [String] = []
    for item in items {
      guard let text = item.string, !text.isEmpty else {
        throw fault("\(name) must be a list of strings that are not empty")
      }
      texts.append(text)
    }
    return texts
  }

  func fault(_ problem: String, code: String = "invalidOperation") -> RowFailure {
    RowFailure(code, place.isEmpty ? problem : "\(place): \(problem)")
  }
}

/// Counts the different error messages of rows that share an error code.
///
/// Messages count as equal if they differ only in the row's values, identifiers and numbers.
struct MessageShapes: Sendable, Equatable {
  /// Stop counting at this many.
  private static let most = 1000

  private var seen: Set<String> = []

  mutating func add(_ message: String, of row: PlannedRow) {
    guard seen.count < Self.most else { return }
    seen.insert(Self.shape(of: message, row))
  }

  /// The text to append to an example message, such as ", and 3 other messages"; empty if there are no others.
  var more: String {
    let others = seen.count - 1
    guard others > 0 else { return "" }
    let number = seen.count < Self.most ? "\(others)" : "more than \(others - 1)"
    return ", and \(number) other \(others == 1 ? "message" : "messages")"
  }

  /// The message with the row's values, e-mail addresses and numbers replaced by "…".
  static func shape(of message: String, _ row: PlannedRow) -> String {
    var own: Set<String> = [row.key]
    for value in (row.input?.entries ?? []).compactMap(\.value.string) { own.insert(value) }
    for uid in row.uids { own.insert(uid) }
    return message.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let end = word.lastIndex { !",.;:!?)'\"".contains($0) }
      let start = word.firstIndex { !"('\"".contains($0) }
      guard let start, let end, start <= end else { return String(word) }
      let core = word[start...end]
      // Keep the script location, because it tells causes apart; replace e-mail addresses and numbers.
      let isPlace = core.contains(".lua")
      guard
        own.contains(String(core))
          || !isPlace && core.contains(where: { $0.isNumber || $0 == "@" })
      else { return String(word) }
      return word[..<start] + "…" + word[word.index(after: end)...]
    }.joined(separator: " ")
  }
}
