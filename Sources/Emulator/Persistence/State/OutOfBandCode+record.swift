internal import System

extension OutOfBandCode: Recorded {
  var record: JSONObject {
    var record: JSONObject = [
      "code": .string(code), "purpose": .string(purpose.rawValue), "email": .string(email),
      "handler": .string(handler), "apiKey": .string(apiKey), "createdAt": .integer(createdAt),
    ]
    record.set("newEmail", newEmail)
    record.set("uid", uid)
    record.set("tenantId", tenantID)
    record.set("continueUrl", continueURL)
    if language != "en" { record["language"] = .string(language) }
    if linkForm != .emulator { record["linkForm"] = .string(linkForm.rawValue) }
    record.set("appLink", appLink)
    return record
  }

  init?(record: JSONObject) {
    guard let code = record["code"]?.string,
      let purpose = record["purpose"]?.string.flatMap(Purpose.init(rawValue:)),
      let email = record["email"]?.string, let handler = record["handler"]?.string,
      let apiKey = record["apiKey"]?.string, let createdAt = record["createdAt"]?.integer
    else { return nil }
    self.init(
      code: code, purpose: purpose, email: email, newEmail: record["newEmail"]?.string,
      uid: record["uid"]?.string, handler: handler, apiKey: apiKey,
      tenantID: record["tenantId"]?.string, continueURL: record["continueUrl"]?.string,
      createdAt: createdAt, language: record["language"]?.string ?? "en",
      linkForm: record["linkForm"]?.string.flatMap(LinkForm.init(rawValue:)) ?? .emulator,
      appLink: record["appLink"]?.string)
  }
}
