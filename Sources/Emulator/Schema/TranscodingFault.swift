internal import System
internal import IdentityToolkit

/// One fault of a body, with the message of Google's transcoder.
struct TranscodingFault {
  /// The path of the field in the message, in snake case; nil for the whole message.
  private let field: String?
  private let description: String

  private init(field: String, description: String) {
    self.field = field.isEmpty ? nil : field
    self.description = description
  }

  /// A name that the message at the path does not have, or not in this form.
  static func unknown(_ name: String, at path: String, _ why: String) -> TranscodingFault {
    let place = path.isEmpty ? "" : " at '\(path)'"
    return TranscodingFault(
      field: path,
      description:
        "Invalid JSON payload received. Unknown name \(JSON.string(name).encoded())\(place): \(why)"
    )
  }

  /// A value that does not fit the field's type.
  static func value(_ shown: String, _ type: String, at path: String) -> TranscodingFault {
    TranscodingFault(field: path, description: "Invalid value at '\(path)' (\(type)), \(shown)")
  }

  /// A second field of the same `oneof` group.
  static func twice(_ name: String, of group: String, at path: String) -> TranscodingFault {
    let place = path.isEmpty ? "" : " at '\(path)'"
    return TranscodingFault(
      field: path,
      description:
        "Invalid value\(place) (oneof), oneof field '\(group)' is already set. Cannot set '\(name)'"
    )
  }

  static func refusal(_ faults: [TranscodingFault]) -> Refusal {
    let violations = faults.map { fault in
      var violation = JSONObject()
      violation.set("field", fault.field)
      violation["description"] = .string(fault.description)
      return JSON.object(violation)
    }
    return Refusal(
      message: faults.map(\.description).joined(separator: "\n"), status: 400, reason: "invalid",
      canonicalStatus: "INVALID_ARGUMENT",
      details: [
        [
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          "fieldViolations": .array(violations),
        ]
      ])
  }
}
