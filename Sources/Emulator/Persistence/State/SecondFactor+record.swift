internal import System

extension SecondFactor: Recorded {
  var record: JSONObject {
    var record: JSONObject = ["id": .string(id)]
    record.set("displayName", displayName)
    record.set("enrolledAt", enrolledAt)
    record.set("phoneNumber", phoneNumber)
    record.set("totpSecret", totpSecret?.reveal())
    record.set("lastTotpStep", lastTOTPStep)
    return record
  }

  init?(record: JSONObject) {
    guard let id = record["id"]?.string else { return nil }
    self.init(
      id: id, displayName: record["displayName"]?.string, enrolledAt: record["enrolledAt"]?.string,
      phoneNumber: record["phoneNumber"]?.string,
      totpSecret: record["totpSecret"]?.string.map { Secret($0) },
      lastTOTPStep: record["lastTotpStep"]?.integer)
  }
}
