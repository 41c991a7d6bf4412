internal import System
internal import OIDC

extension Backend {
  /// The claims that every token for a function has.
  func functionClaims(_ event: BlockingEvent, _ address: String, _ caller: Caller) -> JSONObject {
    [
      "iss": .string(tokenIssuer), "aud": .string(address), "iat": .integer(now),
      "exp": .integer(now + 600), "event_id": .string(SecureRandom.token(bytes: 12)),
      "event_type": .string(event.rawValue), "ip_address": "127.0.0.1",
      "locale": .string((rules[.strictFunctions] ? caller.language : nil) ?? "en"),
      "user_agent": rules[.strictFunctions]
        ? .string(caller.userAgent ?? "") : "NotYetSupportedInFirebaseAuthEmulator",
    ]
  }

  /// The claims of the token for a function that is called with an account.
  func functionClaims(
    _ event: BlockingEvent, _ address: String, about account: Account, _ factor: FirstFactor,
    secondFactor: String?
  ) -> JSONObject {
    var claims = functionClaims(event, address, factor.caller)
    claims["user_record"] = .object(functionRecord(of: account))
    claims["sub"] = .string(account.uid)
    claims["sign_in_method"] = .string(factor.method)
    claims.set("sign_in_second_factor", secondFactor)
    if let attributes = factor.attributes {
      // Google's servers send the attributes as JSON, Firebase's emulator as text.
      claims["sign_in_attributes"] =
        rules[.signedTokens] ? attributes : .string(attributes.encoded())
    }
    claims.set("raw_user_info", factor.rawUserInfo)
    claims.set("tenant_id", tenantID)
    forward(factor.tokens, in: &claims)
    return claims
  }

  /// Adds the provider's tokens that the project lets functions see.
  private func forward(_ tokens: ProviderTokens, in claims: inout JSONObject) {
    let allowed = project.blockingFunctions["forwardInboundCredentials"]
    if allowed?["accessToken"]?.bool == true {
      claims.set("oauth_access_token", tokens.accessToken?.reveal())
      claims.set("oauth_expires_in", tokens.expiresIn.map(String.init))
    }
    if allowed?["idToken"]?.bool == true {
      claims.set("oauth_id_token", tokens.idToken?.reveal())
    }
    if allowed?["refreshToken"]?.bool == true {
      claims.set("oauth_refresh_token", tokens.refreshToken?.reveal())
    }
  }

  private func functionRecord(of account: Account) -> JSONObject {
    var record: JSONObject = ["uid": .string(account.uid)]
    record.set("email", account.email)
    record.set("email_verified", account.emailVerified)
    record.set("display_name", account.displayName)
    record.set("photo_url", account.photoURL)
    record.set("disabled", account.disabled)
    record.set("phone_number", account.phoneNumber)
    record["custom_claims"] = .object(account.customClaims)
    record.set("tenant_id", tenantID)
    // The sign-in methods are those before this sign-in.
    let providers = (accounts[uid: account.uid] ?? account).providers
    record["provider_data"] = .array(providers.map(Self.functionProvider))
    if let factors = account.factors {
      record["multi_factor"] = ["enrolled_factors": .array(factors.map(Self.functionFactor))]
    }
    if rules[.strictFunctions], let time = account.shownValidSince {
      record["tokens_valid_after_time"] = .integer(time)
    }
    var times = JSONObject()
    if let time = account.lastLoginAt { times["last_sign_in_time"] = .integer(time) }
    if let time = account.createdAt { times["creation_time"] = .integer(time) }
    if !times.isEmpty { record["metadata"] = .object(times) }
    return record
  }

  private static func functionProvider(_ identity: LinkedIdentity) -> JSON {
    var entry: JSONObject = [
      "provider_id": .string(identity.providerID), "uid": .string(identity.rawID),
    ]
    entry.set("display_name", identity.displayName)
    entry.set("photo_url", identity.photoURL)
    entry.set("email", identity.email)
    entry.set(
      "phone_number", identity.providerID == "phone" ? identity.rawID : identity.phoneNumber)
    return .object(entry)
  }

  private static func functionFactor(_ factor: SecondFactor) -> JSON {
    var entry: JSONObject = [
      "uid": .string(factor.id), "factor_id": .string(factor.provider),
    ]
    entry.set("display_name", factor.displayName)
    entry.set("enrollment_time", factor.enrolledAt)
    entry.set("phone_number", factor.phoneNumber)
    return .object(entry)
  }
}
