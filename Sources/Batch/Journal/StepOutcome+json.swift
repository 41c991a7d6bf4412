public import Encoding

extension StepOutcome {
  /// Reads an outcome as a journal has it; what does not fit has the code `invalidRecord`.
  public init(json: JSON) throws(RowFault) {
    do throws(RowFault) {
      self = try Self.read(json.object ?? [:])
    } catch {
      throw RowFault("invalidRecord", error.message)
    }
  }

  private static func read(_ members: JSONObject) throws(RowFault) -> StepOutcome {
    let reader = try MemberReader(
      members, of: "an outcome",
      names: ["row", "step", "result", "fault", "at", "microseconds", "attempts"])
    guard let result = Result(rawValue: try reader.text("result")) else {
      throw reader.fault("result is of a kind that is not known")
    }
    var fault: RowFault?
    if let given = reader.value("fault") { fault = try RowFault(json: given) }
    return StepOutcome(
      row: try reader.whole("row"), step: Int(clamping: try reader.whole("step")),
      result: result, fault: fault, at: try reader.whole("at"),
      microseconds: try reader.whole("microseconds"),
      attempts: Int(clamping: try reader.whole("attempts")))
  }

  /// The outcome as a journal has it.
  public var json: JSON {
    var object: JSONObject = [
      "row": .integer(row), "step": .integer(Int64(step)), "result": .string(result.rawValue),
    ]
    object["fault"] = fault?.json
    object["at"] = .integer(at)
    object["microseconds"] = .integer(microseconds)
    object["attempts"] = .integer(Int64(attempts))
    return .object(object)
  }
}
