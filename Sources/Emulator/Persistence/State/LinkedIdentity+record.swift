internal import System

extension LinkedIdentity: Recorded {
  var record: JSONObject {
    var record: JSONObject = ["id": .string(providerID)]
    // The entries of password and phone are derived from other fields of the account.
    guard isFederated else { return record }
    record["rawId"] = .string(rawID)
    record.set("email", email)
    record.set("displayName", displayName)
    record.set("photoUrl", photoURL)
    record.set("screenName", screenName)
    record.set("phoneNumber", phoneNumber)
    record.set("federatedId", federatedID)
    if !showsFederatedID { record["showsFederatedId"] = false }
    record.flag("trusted", isTrusted)
    return record
  }

  init?(record: JSONObject) {
    guard let providerID = record["id"]?.string else { return nil }
    self.init(
      providerID: providerID, rawID: record["rawId"]?.string ?? "", email: record["email"]?.string,
      displayName: record["displayName"]?.string, photoURL: record["photoUrl"]?.string,
      screenName: record["screenName"]?.string, phoneNumber: record["phoneNumber"]?.string,
      federatedID: record["federatedId"]?.string,
      showsFederatedID: record["showsFederatedId"]?.bool ?? true,
      isTrusted: record["trusted"]?.bool == true)
  }
}
