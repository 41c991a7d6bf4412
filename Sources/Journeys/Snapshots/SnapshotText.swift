import Host
import IdentityToolkit
import System

/// The text of a value in a snapshot: one value per line, with sorted keys.
///
/// What differs from run to run is replaced by its kind: secrets, uids, times, other generated ids, names that
/// `j:unique` made, and the ports of this machine.
struct SnapshotText {
  /// Fields with the uid of an account, in lower case without underscores.
  private static let uidNames: Set<String> = ["uid", "localid", "userid", "sub"]
  /// Fields with other generated ids or hashes.
  private static let idNames: Set<String> = [
    "jti", "kid", "uti", "aio", "rh", "athash", "chash", "shash", "mfaenrollmentid",
    "secondfactoridentifier", "requestid", "etag",
  ]
  /// The ends of the names of fields with a time.
  private static let timeEndings = [
    "at", "time", "date", "since", "expires", "expiry", "exp", "iat", "nbf", "login", "timestamp",
  ]

  /// How far from the present a number is a time under any name, in milliseconds: a day.
  private static let present = 86_400_000.0

  private(set) var text = ""
  /// The uids in the value, in the order of their appearance.
  private var uids: [String] = []
  private let made: [String]
  private let now: Double

  /// Writes a value.
  ///
  /// - Parameters:
  ///   - secrets: The secrets of the run so far.
  ///   - made: The names that `j:unique` made.
  ///   - now: The present, in milliseconds since 1970.
  init(
    _ value: JSON, hiding secrets: RunSecrets, made: [String] = [], now: Int64 = Timestamp.now
  ) {
    self.made = made
    self.now = Double(now)
    let value = secrets.byKind(value)
    collect(value, under: "")
    write(value, under: "", indent: 0, lead: "", end: "\n")
  }

  private static func plain(_ name: String) -> String {
    name.lowercased().filter { $0 != "_" && $0 != "-" }
  }

  // MARK: Uids

  private mutating func collect(_ value: JSON, under name: String) {
    switch value {
    case .object(let object):
      for (key, member) in Self.sorted(object) {
        collect(uidsIn: key)
        collect(member, under: key)
      }
    case .array(let items): for item in items { collect(item, under: name) }
    case .string(let text):
      if let inner = Self.inner(text) { return collect(inner, under: name) }
      let isUID = Self.uidNames.contains(Self.plain(name)) || Self.isGenerated(text)
      if isUID, !text.isEmpty, !SecretLabels.isLabel(text), !uids.contains(text) {
        uids.append(text)
      } else {
        collect(uidsIn: text)
      }
    default: break
    }
  }

  /// Finds generated uids inside a text.
  private mutating func collect(uidsIn text: String) {
    guard text.utf8.count >= 28 else { return }
    for word in text.utf8.split(whereSeparator: { !$0.isLetterOrDigit }) where word.count == 28 {
      let word = String(Substring(word))
      if Self.isGenerated(word), !uids.contains(word) { uids.append(word) }
    }
  }

  /// Whether a text has the shape of the uids that Firebase generates.
  private static func isGenerated(_ text: String) -> Bool {
    text.utf8.count == 28 && text.utf8.allSatisfy(\.isLetterOrDigit)
      && text.contains(where: \.isNumber) && text.contains(where: \.isUppercase)
      && text.contains(where: \.isLowercase)
  }

  private func label(ofUID text: String) -> String? {
    guard let index = uids.firstIndex(of: text) else { return nil }
    return index == 0 ? "[uid]" : "[uid \(index + 1)]"
  }

  // MARK: Writing

  private static func sorted(_ object: JSONObject) -> [(key: String, value: JSON)] {
    object.entries.map { (key: $0.key, value: $0.value) }
      .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  /// A text that contains a JSON object or list.
  private static func inner(_ text: String) -> JSON? {
    let first = text.utf8.first { $0 > 0x20 }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
    return try? JSON.parse(Array(text.utf8))
  }

  private mutating func write(
    _ value: JSON, under name: String, indent: Int, lead: String, end: String
  ) {
    let space = String(repeating: "  ", count: indent)
    text += space + lead
    switch value {
    case .object(let object) where !object.isEmpty:
      text += "{\n"
      for (key, member) in Self.sorted(object) {
        write(member, under: key, indent: indent + 1, lead: shown(key: key) + " = ", end: ",\n")
      }
      text += space + "}" + end
    case .array(let items) where !items.isEmpty:
      text += "{\n"
      for item in items { write(item, under: name, indent: indent + 1, lead: "", end: ",\n") }
      text += space + "}" + end
    case .object, .array: text += "{}" + end
    case .string(let string):
      if let json = Self.inner(string) {
        text.removeLast((space + lead).count)
        return write(json, under: name, indent: indent, lead: lead + "json ", end: end)
      }
      let shown = self.shown(string, under: name)
      guard shown.contains("\n") else { return text += Self.quoted(shown) + end }
      // A line for each line, so that a difference is shown where it is.
      text.removeLast((space + lead).count)
      if !lead.isEmpty { text += space + lead.dropLast() + "\n" }
      for line in shown.split(separator: "\n", omittingEmptySubsequences: false) {
        text += space + "  |" + (line.isEmpty ? "" : " \(Self.visible(String(line)))") + "\n"
      }
    case .integer(let number): write(Double(number), value, under: name, end)
    case .number(let number): write(number, value, under: name, end)
    default: text += value.encoded() + end
    }
  }

  private mutating func write(_ number: Double, _ value: JSON, under name: String, _ end: String) {
    text += (isTime(number, under: name) ? "[time]" : value.encoded()) + end
  }

  private static func quoted(_ string: String) -> String {
    let isMark = string.hasPrefix("[") && (SecretLabels.isLabel(string) || Self.isMark(string))
    return isMark ? string : visible(JSON.string(string).encoded())
  }

  /// Escapes characters that cannot be seen, or that change the order of others.
  static func visible(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 >= 0x7F }) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      // U+200D joins emojis.
      case .format where scalar.value != 0x200D, .control, .lineSeparator, .paragraphSeparator:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private func shown(key: String) -> String {
    let isName =
      !key.isEmpty && key.utf8.first?.isDigit == false
      && key.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
    if isName, label(ofUID: key) == nil { return key }
    return "[\(Self.visible(JSON.string(replacing(key)).encoded()))]"
  }

  // MARK: What differs from run to run

  private static func isMark(_ text: String) -> Bool {
    text.wholeMatch(of: /\[(uid( \d+)?|time|id|size|unique)\]/) != nil
  }

  private func shown(_ string: String, under name: String) -> String {
    if SecretLabels.isLabel(string) { return string }
    let plain = Self.plain(name)
    if let uid = label(ofUID: string) { return uid }
    if Self.idNames.contains(plain), !string.isEmpty { return "[id]" }
    if plain == "contentlength" { return "[size]" }
    if let number = Double(string), isTime(number, under: name) { return "[time]" }
    if string.wholeMatch(of: /[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/) != nil {
      return "[id]"
    }
    return replacing(string)
  }

  /// Replaces what differs from run to run inside a text.
  private func replacing(_ string: String) -> String {
    var shown = string.replacing("\r\n", with: "\n").replacing("\r", with: "\\r")
    for name in made { shown = shown.replacing(name, with: "[unique]") }
    // A short one would occur in other words.
    for (index, uid) in uids.enumerated() where uid.utf8.count >= 8 {
      shown = shown.replacing(uid, with: index == 0 ? "[uid]" : "[uid \(index + 1)]")
    }
    return shown.replacing(
      /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?/, with: "[time]"
    )
    .replacing(/[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/, with: "[time]")
    .replacing(/(127\.0\.0\.1|localhost|\[::1\])(:|%3A)\d{2,5}/) {
      "\($0.output.1)\($0.output.2)[port]"
    }
  }

  /// Whether a number is a time, in seconds or milliseconds: under the name of a time one in the years 2001 to
  /// 2286, under others one near the present.
  private func isTime(_ number: Double, under name: String) -> Bool {
    let isNow = [number, number * 1000].contains { abs($0 - now) <= Self.present }
    let plain = Self.plain(name)
    guard !isNow, Self.timeEndings.contains(where: plain.hasSuffix) else { return isNow }
    return (1e9..<1e10).contains(number) || (1e12..<1e13).contains(number)
  }
}
