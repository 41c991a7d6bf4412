internal import System

extension SignInSession: Recorded {
  var record: JSONObject {
    var record: JSONObject = ["provider": .string(provider), "authTime": .integer(authTime)]
    if !extraClaims.isEmpty { record["extraClaims"] = .object(extraClaims) }
    if let secondFactor {
      record["secondFactor"] = [
        "id": .string(secondFactor.id), "provider": .string(secondFactor.provider),
      ]
    }
    if let attributes { record["attributes"] = attributes }
    return record
  }

  init?(record: JSONObject) {
    guard let provider = record["provider"]?.string, let authTime = record["authTime"]?.integer
    else { return nil }
    self.init(provider: provider, authTime: authTime)
    extraClaims = record["extraClaims"]?.object ?? JSONObject()
    if let factor = record["secondFactor"] {
      guard let id = factor["id"]?.string, let provider = factor["provider"]?.string else {
        return nil
      }
      secondFactor = UsedFactor(id: id, provider: provider)
    }
    attributes = record["attributes"]
  }
}
