import IdentityToolkit
import System

/// Reads an object that a user or a script wrote; the path is the operation's name.
typealias MemberReader = ObjectReader<RowFailure>

extension MemberReader {
  /// A uid: 1 to 128 UTF-16 code units, as the backend counts them.
  func uid(_ name: String = "uid") throws(RowFailure) -> String {
    let uid = try text(name)
    guard uid.utf16.count <= 128 else {
      throw fault(
        "\(name) has \(uid.utf16.count) characters, and a uid has at most 128", code: "invalidId")
    }
    return uid
  }

  func fault(_ problem: String, code: String = "invalidOperation") -> RowFailure {
    RowFailure(code, (path + [problem]).joined(separator: ": "))
  }
}

extension RowFailure: ObjectReaderError {
  init(_ mistake: ObjectMistake, of name: String?, at path: [String]) {
    let name = name ?? ""
    let problem =
      switch mistake {
      case .missing: "\(name) is missing"
      case .empty: "\(name) is empty"
      case .wrongType(.bool, _): "\(name) must be true or false"
      case .wrongType(.object, _): "\(name) must be a table with names"
      case .wrongType(.array, _): "\(name) must be a list of strings"
      case .wrongType(let kind, _): "\(name) must be \(kind.rawValue)"
      case .wrongItem: "\(name) must be a list of strings that are not empty"
      case .unknownName(let nearest, let known):
        "there is no member '\(Redaction().clean(name))'; "
          + (nearest.map { "did you mean '\($0)'?" }
            ?? "there are \(known.joined(separator: ", "))")
      }
    self.init("invalidOperation", (path + [problem]).joined(separator: ": "))
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
