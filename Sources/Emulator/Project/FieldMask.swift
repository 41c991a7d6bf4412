internal import System
internal import IdentityToolkit

/// The fields to change, in the format of `updateMask`: dotted paths, separated by commas.
struct FieldMask {
  private let paths: [[String]]

  init(_ text: String) {
    paths = text.split(separator: ",", omittingEmptySubsequences: false).map { path in
      path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// Copies the masked fields from `update` without checking their names.
  ///
  /// When `update` lacks the last field of a path, that field stays unchanged.
  func apply(_ update: JSONObject, to object: inout JSONObject) throws(Refusal) {
    for path in paths { try Self.apply(path[...], update, to: &object, from: path[0]) }
  }

  /// Replaces the masked fields with those of `update`, as Google's servers do (measured).
  ///
  /// A field that `update` lacks is removed and so gets its default. A path to a field that the message does not have
  /// changes nothing.
  func replace(from update: JSONObject, in object: inout JSONObject, of message: Schema.Message) {
    for path in paths where Self.exists(path, in: message) {
      Self.replace(path[...], from: update, in: &object)
    }
  }

  private static func exists(_ path: [String], in message: Schema.Message) -> Bool {
    var inside: Schema.Message? = message
    for name in path {
      // The keys of maps are free.
      guard let message = inside else { return true }
      guard let kind = message.kind(of: name) else { return false }
      inside = if case .message(let name) = kind { Schema.shared.message(name) } else { nil }
    }
    return true
  }

  private static func replace(
    _ path: ArraySlice<String>, from update: JSONObject?, in object: inout JSONObject
  ) {
    guard let field = path.first else { return }
    guard path.count > 1 else {
      object[field] = update?[field].flatMap { $0.isNull ? nil : $0 }
      return
    }
    let before = object[field]
    var inner = before?.object ?? JSONObject()
    replace(path.dropFirst(), from: update?[field]?.object, in: &inner)
    if before != nil || !inner.isEmpty { object[field] = .object(inner) }
  }

  private static func apply(
    _ path: ArraySlice<String>, _ update: JSONObject, to object: inout JSONObject,
    from first: String
  ) throws(Refusal) {
    guard let field = path.first, let last = path.last else { return }
    guard path.count > 1 else {
      if let value = update[field], !value.isNull { object[field] = value }
      return
    }
    switch update[field] {
    case .object(let inner)?:
      var target = object[field]?.object ?? JSONObject()
      defer { object[field] = .object(target) }
      try apply(path.dropFirst(), inner, to: &target, from: first)
    case nil, .null?:
      // Firebase's emulator fails with a 500 here.
      throw .invalidArgument(
        "Invalid value at 'update_mask': the body has no field "
          + "\(Backend.printable(field)) for the path that begins with \(Backend.printable(first))")
    default:
      // A string or list has no fields; Firebase's emulator then looks for the last name at this level.
      if let value = update[last], !value.isNull { object[last] = value }
    }
  }
}
