internal import System
internal import OIDC
internal import IdentityToolkit

extension Backend {
  /// The `aud` of every custom token.
  static let customTokenAudience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

  /// The service account whose key signs custom tokens.
  var serviceAccountEmail: String { "luath@\(project.id).iam.gserviceaccount.com" }

  /// `accounts:signInWithCustomToken`: signs in to the account that a server's token names, creating it if needed.
  func signInWithCustomToken(_ call: Call) throws(Refusal) -> JSONObject {
    // To Google's servers an empty token is malformed, not missing.
    let given =
      rules[.googleAnswers] ? try call.fields.string("token") : call.fields.text("token")
    guard let token = given else { throw Refusal(.missingCustomToken) }
    let claims =
      rules[.signedCustomTokens] ? try verifiedCustomToken(token) : try believedCustomToken(token)
    let uid = try uid(of: claims)
    let extra = try customClaims(claims["claims"])
    let existing = accounts[uid: uid]
    if existing?.isDisabled == true { throw Refusal(.userDisabled) }
    var account = existing ?? Account(uid: uid, now: nowMilliseconds)
    // Measured: an account that another sign-in method created is marked by its first custom sign-in.
    account.isCustom = true
    if existing == nil {
      if rules[.googleAnswers] { beginSessions(of: &account) }
      add(&account)
    }
    let tokens = try signIn(
      &account, provider: "custom", extraClaims: extra,
      isLegacy: try wantsLegacyToken(call.fields))
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
    // Measured: a number counts as a string.
    guard let uid = ScriptValue.primitiveText(claims["uid"]) else {
      throw Refusal(.missingIdentifier)
    }
    guard (1...128).contains(uid.utf16.count) else {
      throw Refusal(
        .invalidIdentifier,
        "Invalid user ID length. Expect to have length between 1 and 128.")
    }
    return uid
  }

  /// The claims of a custom token without a check of its signature: JSON text, or a JWT of the right audience.
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
    // In a tenant, a malformed token is refused for its tenant first.
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
  ///
  /// Measured: an error in the token's form has a message, any other error only its code.
  private func verifiedCustomToken(_ token: String) throws(Refusal) -> JSONObject {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw Refusal(
        .invalidCustomToken, "Invalid assertion format. 3 dot separated segments required.")
    }
    guard let jwt = try? JWT(decoding: token) else { throw Refusal(.invalidCustomToken) }
    guard !parts[2].isEmpty || jwt.algorithmName == "none" else {
      throw Refusal(.invalidCustomToken, "Missing signature.")
    }
    let claims = jwt.claims
    guard claims["aud"]?.string == Self.customTokenAudience, let signer = claims["iss"]?.string,
      signer == claims["sub"]?.string
    else { throw Refusal(.invalidCustomToken) }
    guard signer == serviceAccountEmail else {
      // A service account of another project, whose key cannot be checked here.
      let isServiceAccount = signer.hasSuffix(".gserviceaccount.com")
      throw Refusal(isServiceAccount ? .credentialMismatch : .invalidCustomToken)
    }
    guard let verifiers = context.keys.existingVerifiers(for: .serviceAccount) else {
      throw Refusal(.invalidCustomToken)
    }
    do throws(JOSEError) {
      try jwt.verify(verifiers, algorithms: [.rs256])
    } catch {
      throw Refusal(.invalidCustomToken)
    }
    // The clocks of two machines may differ (measured: up to 299 seconds after `exp`).
    let grace = Self.graceAfterExpiry
    guard let issued = claims["iat"]?.integer, let expires = claims["exp"]?.integer, issued >= 0,
      issued < now + grace, expires > issued, expires <= issued + 3600, now < expires + grace
    else { throw Refusal(.invalidCustomToken) }
    try check(customTokenTenant: claims["tenant_id"])
    return claims
  }

  /// Refuses a token that was made for another tenant, or for none.
  private func check(customTokenTenant claim: JSON?) throws(Refusal) {
    guard
      sameText(claim?.string, tenantID)
    else {
      guard rules[.googleAnswers] else { throw Refusal(.tenantIDMismatch) }
      // Measured: a token without a tenant makes the call fail in a tenant.
      guard claim != nil else { throw .internalFailure("Internal error encountered.") }
      throw Refusal(
        .tenantIDMismatch, "Specified tenant ID does not match the custom token.")
    }
  }

  private func customClaims(_ value: JSON?) throws(Refusal) -> JSONObject {
    guard let value else { return JSONObject() }
    if value.isNull, rules[.signedCustomTokens] { return JSONObject() }
    guard case .object(let claims) = value else { throw Refusal(.invalidClaims) }
    // Their size has no limit (measured); the 1000 bytes are the limit of an account's own claims.
    try CustomClaimsLimits.check(claims)
    return claims
  }
}
