import System

extension ProviderMetadata {
  /// The placeholder for the tenant in the issuer of Microsoft's shared metadata.
  static let tenantMark = "{tenantid}"

  /// The tenant of all personal accounts, which the metadata of `consumers` name.
  private static let personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

  /// Returns the issuer in Microsoft's metadata for `common`, `organizations` or `consumers`.
  ///
  /// Nil for all other issuers.
  static func sharedIssuer(for asked: String) -> String? {
    let tenants = [
      ("common", tenantMark), ("organizations", tenantMark), ("consumers", personalTenant),
    ]
    for (tenant, described) in tenants {
      if let place = asked.firstRange(of: "/\(tenant)/v2.0"), place.upperBound == asked.endIndex {
        return "\(asked[..<place.lowerBound])/\(described)/v2.0"
      }
    }
    return nil
  }

  /// Whether the provider promises its issuer in every response (RFC 9207 section 3).
  var namesIssuerInAnswers: Bool {
    document["authorization_response_iss_parameter_supported"]?.bool == true
  }

  /// Returns the required issuer of an ID token; for shared metadata, with the token's tenant.
  func issuer(for claims: JSONObject) throws(OIDCError) -> String {
    guard let mark = issuer.firstRange(of: Self.tenantMark) else { return issuer }
    guard let tenant = claims["tid"]?.string, Self.isTenant(tenant) else {
      throw OIDCError(
        .malformedClaims, "the ID token's tid is missing or of the wrong type",
        hint: "name your tenant in the issuer instead of all of them")
    }
    return issuer[..<mark.lowerBound] + tenant + issuer[mark.upperBound...]
  }

  /// Whether this is the provider's own issuer (RFC 9207 section 2.4).
  func isOwnIssuer(_ name: String) -> Bool {
    guard let mark = issuer.firstRange(of: Self.tenantMark) else {
      return ExactString(name) == ExactString(issuer)
    }
    let head = issuer[..<mark.lowerBound]
    let tail = issuer[mark.upperBound...]
    return name.hasPrefix(head) && name.hasSuffix(tail)
      && Self.isTenant(String(name.dropFirst(head.count).dropLast(tail.count)))
  }

  private static func isTenant(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte)
          || (0x61...0x7A).contains(byte | 0x20)
      }
  }
}
