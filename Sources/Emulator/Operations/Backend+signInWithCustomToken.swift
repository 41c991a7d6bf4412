internal import Encoding
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// The `aud` of every custom token.
  static let customTokenAudience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

  /// The service account whose key signs custom tokens.
  var serviceAccountEmail: String { "luath@\(project.id).iam.gserviceaccount.com" }

  /// `accounts:signInWithCustomToken`: the account a server vouches for, made when it does not exist.
  func signInWithCustomToken(_ call: Call) throws(Refusal) -> JSONObject {
    guard let token = call.fields.text("token") else { throw Refusal(.missingCustomToken) }
    let claims =
      rules[.signedCustomTokens] ? try verifiedCustomToken(token) : try believedCustomToken(token)
    let uid = try uid(of: claims)
    let extra = try customClaims(claims["claims"])
    let existing = accounts[uid: uid]
    if existing?.isDisabled == true { throw Refusal(.userDisabled) }
    var account = existing ?? Account(uid: uid, now: nowMilliseconds)
    if existing == nil || !rules[.signedCustomTokens] { account.isCustom = true }
    if existing == nil { add(&account) }
    let tokens = try signIn(&account, provider: "custom", extraClaims: extra)
    var answer: JSONObject = ["kind": "identitytoolkit#VerifyCustomTokenResponse"]
    answer["isNewUser"] = .bool(existing == nil)
    for (name, value) in tokens.entries { answer[name] = value }
    return answer
  }

  private func uid(of claims: JSONObject) throws(Refusal) -> String {
    guard rules[.signedCustomTokens] else {
      let uid =
        ScriptValue.primitiveText(claims["uid"]) ?? ScriptValue.primitiveText(claims["user_id"])
      guard let uid, !uid.isEmpty else { throw Refusal(.missingIdentifier) }
      return uid
    }
    guard let uid = claims["uid"]?.string, (1...128).contains(uid.utf8.count) else {
      throw Refusal(.invalidCustomToken, "the uid claim must be a text of 1 to 128 bytes")
    }
    return uid
  }

  /// The claims of a custom token that anybody may have made: JSON text, or a JWT of the right audience.
  private func believedCustomToken(_ token: String) throws(Refusal) -> JSONObject {
    if token.utf8.first == UInt8(ascii: "{") {
      guard let parsed = ScriptValue.parse(token), case .object(let claims) = parsed else {
        throw Refusal(
          .invalidCustomToken,
          "((Auth Emulator only accepts strict JSON or JWTs as fake custom tokens.))")
      }
      return claims
    }
    let decoded = UnsignedToken.payload(of: token)
    // In a tenant, a text that is no token at all is first of all none of this tenant.
    if tenantID != nil { try check(customTokenTenant: decoded?["tenant_id"]) }
    guard let decoded else { throw Refusal(.invalidCustomToken, "Invalid assertion format") }
    guard let claims = decoded.object, claims["aud"]?.string == Self.customTokenAudience else {
      let audience = ScriptValue.text(decoded["aud"])
      throw Refusal(
        .invalidCustomToken,
        "((Invalid aud (audience): \(audience) Note: Firebase ID Tokens / third-party tokens cannot be "
          + "used with signInWithCustomToken.))")
    }
    return claims
  }

  /// The claims of a custom token that this project's service account signed and that is still valid.
  private func verifiedCustomToken(_ token: String) throws(Refusal) -> JSONObject {
    let jwt: JWT
    do throws(JOSEError) {
      jwt = try JWT(decoding: token)
    } catch {
      throw Refusal(.invalidCustomToken, "Invalid assertion format")
    }
    let claims = jwt.claims
    guard claims["aud"]?.string == Self.customTokenAudience else {
      throw Refusal(.invalidCustomToken, "the audience must be \(Self.customTokenAudience)")
    }
    let email = serviceAccountEmail
    guard let issuer = claims["iss"]?.string, issuer == email, claims["sub"]?.string == email
    else {
      throw Refusal(
        .credentialMismatch, "issuer and subject must be this project's service account, \(email)")
    }
    do throws(JOSEError) {
      try jwt.verify(try site.keys.verifiers(for: .serviceAccount), algorithms: [.rs256])
    } catch {
      throw Refusal(.invalidCustomToken, "the signature is not by the service account's key")
    }
    guard let issued = claims["iat"]?.integer, let expires = claims["exp"]?.integer else {
      throw Refusal(.invalidCustomToken, "the iat and exp claims must be whole seconds")
    }
    // Clocks of two machines may differ by a minute.
    guard issued <= now + 60 else { throw Refusal(.invalidCustomToken, "issued in the future") }
    guard expires > now else { throw Refusal(.invalidCustomToken, "the token has expired") }
    guard issued >= 0, expires > issued, expires <= issued + 3600 else {
      throw Refusal(.invalidCustomToken, "exp may be at most an hour after iat")
    }
    try check(customTokenTenant: claims["tenant_id"])
    return claims
  }

  /// Refuses a token that was made for another tenant, or for none.
  private func check(customTokenTenant claim: JSON?) throws(Refusal) {
    guard
      claim?.string.map({ ExactString(string: $0) }) == tenantID.map({ ExactString(string: $0) })
    else { throw Refusal(.tenantIDMismatch) }
  }

  private func customClaims(_ value: JSON?) throws(Refusal) -> JSONObject {
    guard let value else { return JSONObject() }
    if value.isNull, rules[.signedCustomTokens] { return JSONObject() }
    guard case .object(let claims) = value else { throw Refusal(.invalidClaims) }
    try CustomClaims.check(claims)
    // The limit of an account's own claims, which Google's servers set these as well.
    if rules[.signedCustomTokens], value.encodedBytes().count > 1000 {
      throw Refusal(.claimsTooLarge)
    }
    return claims
  }
}
