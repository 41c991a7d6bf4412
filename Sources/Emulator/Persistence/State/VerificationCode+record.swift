internal import System

extension VerificationCode: Recorded {
  var record: JSONObject {
    var record: JSONObject = [
      "code": .string(code), "phoneNumber": .string(phoneNumber),
      "sessionInfo": .string(sessionInfo), "createdAt": .integer(createdAt),
    ]
    switch purpose {
    case .signIn: break
    case .enrollment(let uid): record["enrollmentOf"] = .string(uid)
    case .secondFactor(let uid): record["secondFactorOf"] = .string(uid)
    }
    if wrongTries != 0 { record["wrongTries"] = .integer(Int64(wrongTries)) }
    record.flag("used", isUsed)
    return record
  }

  init?(record: JSONObject) {
    guard let code = record["code"]?.string, let phoneNumber = record["phoneNumber"]?.string,
      let sessionInfo = record["sessionInfo"]?.string,
      let createdAt = record["createdAt"]?.integer
    else { return nil }
    let purpose: Purpose =
      if let uid = record["enrollmentOf"]?.string {
        .enrollment(uid: uid)
      } else if let uid = record["secondFactorOf"]?.string {
        .secondFactor(uid: uid)
      } else {
        .signIn
      }
    self.init(
      code: code, phoneNumber: phoneNumber, sessionInfo: sessionInfo, purpose: purpose,
      createdAt: createdAt)
    wrongTries = Int(record["wrongTries"]?.integer ?? 0)
    isUsed = record["used"]?.bool == true
  }
}
