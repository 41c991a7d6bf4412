internal import System

extension TemporaryProof: Recorded {
  var record: JSONObject {
    ["phoneNumber": .string(phoneNumber), "createdAt": .integer(createdAt)]
  }

  init?(record: JSONObject) {
    guard let phoneNumber = record["phoneNumber"]?.string,
      let createdAt = record["createdAt"]?.integer
    else { return nil }
    self.init(phoneNumber: phoneNumber, createdAt: createdAt)
  }
}
