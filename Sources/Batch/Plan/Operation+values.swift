import IdentityToolkit
import System

extension Operation {
  /// The maximum length of an id at a provider; the longest standard one is a persistent SAML name (SAML core, 8.3.7).
  private static let longestRawID = 256

  /// Refuses ids, addresses and phone numbers that no account should have, such as cells with stray blanks.
  ///
  /// Journals may hold them from earlier versions, so only new plans are checked.
  func checkValues() throws(RowFailure) {
    for uid in uids { try check(id: uid, "uid") }
    switch self {
    case .link(_, let identity):
      try check(id: identity["providerId"]?.string, "providerId")
      try check(id: identity["rawId"]?.string, "rawId", most: Self.longestRawID)
    case .unlink(_, let providerID): try check(id: providerID, "providerId")
    case .linkAsUser(_, let credential):
      try check(id: credential["providerId"]?.string, "providerId")
    case .update(_, let fields, _): try checkAddresses(fields)
    case .create(let account, _):
      for (providerID, rawID) in PlanChecks.identities(of: account) {
        try check(id: providerID, "providerID")
        try check(id: rawID, "the uid at a provider", most: Self.longestRawID)
      }
      try checkAddresses(account)
    case .merge, .delete, .custom, .followUp: break
    }
  }

  private func check(id: String?, _ member: String, most: Int = 128) throws(RowFailure) {
    guard let id else { return }
    // Most ids have only visible characters of ASCII, which need no look at Unicode's tables.
    if id.utf8.count <= most, id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) { return }
    func refuse(_ problem: String) -> RowFailure {
      RowFailure("invalidId", "\(name): \(member) \(problem)")
    }
    guard id.utf16.count <= most else {
      throw refuse("has \(id.utf16.count) characters, and at most \(most) are allowed")
    }
    for scalar in id.unicodeScalars where scalar.isControl {
      let code = String(scalar.value, radix: 16, uppercase: true)
      let number = String(repeating: "0", count: max(0, 4 - code.count)) + code
      throw refuse("has a line break or control character (U+\(number))")
    }
    if id.unicodeScalars.first?.properties.isWhitespace == true {
      throw refuse("begins with a blank")
    }
    if id.unicodeScalars.last?.properties.isWhitespace == true { throw refuse("ends with a blank") }
  }

  private func checkAddresses(_ fields: JSONObject) throws(RowFailure) {
    if let email = fields["email"]?.string, EmailAddress.normalized(email) == nil {
      throw RowFailure("invalidEmail", "\(name): \(PlanFaults.brief(email)) is no e-mail address")
    }
    if let number = fields["phoneNumber"]?.string, PhoneNumber.normalized(number) == nil {
      throw RowFailure(
        "invalidPhoneNumber",
        "\(name): \(PlanFaults.brief(number)) is no phone number: it needs a plus and 4 to 15 digits"
      )
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
