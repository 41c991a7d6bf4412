public import Encoding

extension RowFault {
  /// Reads a fault as plans, journals and reports have it: `code` and `message`.
  public init(json: JSON) throws(RowFault) {
    let reader = try MemberReader(
      json.object ?? [:], of: "a fault", names: ["code", "message"])
    self.init(try reader.text("code"), json["message"]?.string ?? "")
  }

  /// The fault as an object with `code` and `message`.
  public var json: JSON { ["code": .string(code), "message": .string(message)] }
}
