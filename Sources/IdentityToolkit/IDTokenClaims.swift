public import System

/// The claims of a Firebase ID token, without a check of its signature.
///
/// Use it for display and for times, not to trust a token from elsewhere.
public struct IDTokenClaims: Sendable {
  /// Why a text is not an ID token; never quotes the text.
  public struct Malformed: Error, Sendable, Equatable {
    /// What is wrong with it.
    public let message: String
  }

  /// All claims.
  public let claims: JSONObject

  /// Decodes the payload of a token.
  public init(decoding token: String) throws(Malformed) {
    let segments = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count == 3 else {
      throw Malformed(message: "an ID token has three parts, this one \(segments.count)")
    }
    guard let bytes = Base64URL.decode(String(Substring(segments[1]))) else {
      throw Malformed(message: "the ID token's payload is not base64url")
    }
    guard let claims = (try? JSON.parse(bytes))?.object else {
      throw Malformed(message: "the ID token's payload is not a JSON object")
    }
    self.claims = claims
  }

  /// The user's uid.
  public var userID: String? { claims["user_id"]?.string ?? claims["sub"]?.string }

  /// When the token was issued, in seconds since 1970.
  public var issuedAt: Int64? { time("iat") }

  /// When the token expires, in seconds since 1970.
  public var expiresAt: Int64? { time("exp") }

  /// When the user last signed in, in seconds since 1970.
  public var authTime: Int64? { time("auth_time") }

  /// The provider of that sign-in.
  public var signInProvider: String? { claims["firebase"]?["sign_in_provider"]?.string }

  /// The kind of second factor in that sign-in.
  public var signInSecondFactor: String? { claims["firebase"]?["sign_in_second_factor"]?.string }

  /// NumericDate may have a fraction (RFC 7519 section 2).
  private func time(_ name: String) -> Int64? {
    guard let claim = claims[name] else { return nil }
    if let whole = claim.wholeNumber { return whole }
    guard let number = claim.number, number.magnitude < 9e15 else { return nil }
    return Int64(number)
  }
}
