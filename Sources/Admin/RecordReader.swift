import Encoding
import IdentityToolkit

/// Reads a table that a script gave, and refuses what it does not understand.
///
/// The backend would not: it takes an empty text for one that was not given, and leaves out fields
/// it does not know.
struct RecordReader {
  private let fields: JSONObject
  /// What stands before the names of fields in errors: `providerToLink.`.
  private let place: String

  /// Takes a table with none but these fields.
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

  /// A text that is not empty.
  func text(_ name: String) throws(AdminError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string else { throw fault(name, "must be a string") }
    guard !text.isEmpty else { throw fault(name, "is empty") }
    return text
  }

  /// A text, or false to clear the field.
  func change(_ name: String) throws(AdminError) -> FieldChange<String> {
    guard let value = value(name) else { return .keep }
    if case .bool(false) = value { return .clear }
    guard let text = value.string else {
      throw fault(name, "must be a string, or false to clear it")
    }
    guard !text.isEmpty else { throw fault(name, "is empty: pass false to clear it") }
    return .set(text)
  }

  /// A truth value.
  func flag(_ name: String) throws(AdminError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let flag = value.bool else { throw fault(name, "must be true or false") }
    return flag
  }

  /// A number that is not negative and has no fraction.
  func whole(_ name: String) throws(AdminError) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let number = value.integer, number >= 0 else {
      throw fault(name, "must be a whole number that is not negative")
    }
    return number
  }

  /// A value of any kind; false counts as one.
  func value(_ name: String) -> JSON? {
    guard let value = fields[name], !value.isNull else { return nil }
    return value
  }

  /// The items of a list.
  func list(_ name: String) throws(AdminError) -> [JSON]? {
    switch value(name) {
    case nil: return nil
    case .array(let items)?: return items
    // Lua has no empty list of its own.
    case .object(let object)? where object.isEmpty: return []
    default: throw fault(name, "must be a list")
    }
  }

  /// A table with none but these fields.
  func record(_ name: String, names: [String]) throws(AdminError) -> RecordReader? {
    guard let value = value(name) else { return nil }
    return try RecordReader(value, "\(place)\(name).", names: names)
  }

  /// The fault of a field.
  func fault(_ name: String, _ problem: String) -> AdminError {
    Self.fault("\(place)\(name) \(problem)")
  }

  private static func fault(_ message: String) -> AdminError {
    AdminError(.invalidArgument, message)
  }
}
