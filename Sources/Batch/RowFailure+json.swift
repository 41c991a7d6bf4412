import System

extension RowFailure {
  /// Reads an error of a plan, journal or report: `code` and `message`.
  init(json: JSON) throws(RowFailure) {
    let reader = try MemberReader(
      json.object ?? [:], of: "a fault", names: ["code", "message"])
    self.init(try reader.text("code"), json["message"]?.string ?? "")
  }

  /// The error as an object with `code` and `message`.
  var json: JSON { ["code": .string(code), "message": .string(message)] }
}
