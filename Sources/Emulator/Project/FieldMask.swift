internal import Encoding
internal import IdentityToolkit

/// The fields a change is about: dotted paths with commas between, as `updateMask` has them.
struct FieldMask {
  private let paths: [[String]]

  init(_ text: String) {
    paths = text.split(separator: ",", omittingEmptySubsequences: false).map { path in
      path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// Takes the masked fields over from `update`, whatever they are called; a last field that `update` lacks
  /// stays as it is.
  func apply(_ update: JSONObject, to object: inout JSONObject) throws(Refusal) {
    for path in paths { try Self.apply(path[...], update, to: &object, from: path[0]) }
  }

  /// Refuses a path to a field that the message does not have: a slip of the pen would change nothing.
  func requireFields(of message: Schema.Message) throws(Refusal) {
    for path in paths {
      var inside: Schema.Message? = message
      for name in path {
        // The names in maps are the caller's own.
        guard let message = inside else { break }
        guard let kind = message.kind(of: name) else {
          throw .invalidArgument(
            "Invalid value at 'update_mask': there is no field "
              + Backend.printable(path.joined(separator: ".")))
        }
        inside = if case .message(let name) = kind { Schema.shared.message(name) } else { nil }
      }
    }
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
      // Firebase's emulator breaks here, with a 500.
      throw .invalidArgument(
        "Invalid value at 'update_mask': the body has no field "
          + "\(Backend.printable(field)) for the path that begins with \(Backend.printable(first))")
    default:
      // A text or a list has no fields. Firebase's emulator then looks for the last name right here.
      if let value = update[last], !value.isNull { object[last] = value }
    }
  }
}
