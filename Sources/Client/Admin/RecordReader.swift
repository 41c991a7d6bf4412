import System
import IdentityToolkit

/// Parses a table from a script, and rejects what it does not know.
///
/// The backend is lenient: it treats an empty text as missing and ignores unknown fields.
struct RecordReader {
  private let fields: JSONObject
  /// The prefix of field names in errors: `providerToLink.`.
  private let place: String

  /// Wraps a table; throws when it has other fields than these.
  init(_ json: JSON, _ place: String = "", names: [String]) throws(AdminError) {
    guard let object = json.object else {
      throw Self.fault("\(place.isEmpty ? "the account" : String(place.dropLast())) is not a table")
    }
    fields = object
    self.place = place
    for key in object.keys where !names.contains(key) {
      let advice = nearestName(to: key, among: names).map { "; did you mean '\($0)'?" } ?? ""
      throw Self.fault("there is no field '\(place)\(Redaction().clean(key))'\(advice)")
    }
  }

  /// Returns a non-empty text.
  func text(_ name: String) throws(AdminError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string else { throw fault(name, "must be a string") }
    guard !text.isEmpty else { throw fault(name, "is empty") }
    return text
  }

  /// Returns a change: a text, or false to clear the field.
  func change(_ name: String) throws(AdminError) -> FieldChange<String> {
    guard let value = value(name) else { return .keep }
    if case .bool(false) = value { return .clear }
    guard let text = value.string else {
      throw fault(name, "must be a string, or false to clear it")
    }
    guard !text.isEmpty else { throw fault(name, "is empty: pass false to clear it") }
    return .set(text)
  }

  func flag(_ name: String) throws(AdminError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let flag = value.bool else { throw fault(name, "must be true or false") }
    return flag
  }

  /// Returns a non-negative integer.
  func whole(_ name: String) throws(AdminError) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let number = value.integer, number >= 0 else {
      throw fault(name, "must be a whole number that is not negative")
    }
    return number
  }

  /// Returns a value of any type, including false.
  func value(_ name: String) -> JSON? {
    guard let value = fields[name], !value.isNull else { return nil }
    return value
  }

  func list(_ name: String) throws(AdminError) -> [JSON]? {
    switch value(name) {
    case nil: return nil
    case .array(let items)?: return items
    // An empty Lua table may arrive as an object.
    case .object(let object)? where object.isEmpty: return []
    default: throw fault(name, "must be a list")
    }
  }

  /// Returns a nested table; throws when it has other fields than these.
  func record(_ name: String, names: [String]) throws(AdminError) -> RecordReader? {
    guard let value = value(name) else { return nil }
    return try RecordReader(value, "\(place)\(name).", names: names)
  }

  func fault(_ name: String, _ problem: String) -> AdminError {
    Self.fault("\(place)\(name) \(problem)")
  }

  private static func fault(_ message: String) -> AdminError {
    AdminError(.invalidArgument, message)
  }
}
