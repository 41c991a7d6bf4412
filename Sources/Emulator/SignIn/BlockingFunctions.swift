internal import System
internal import HTTP
internal import OIDC
internal import IdentityToolkit

/// An event that a project's function may refuse.
enum BlockingEvent: String {
  case beforeCreate
  case beforeSignIn
  case beforeSendEmail
  case beforeSendSms

  /// Whether the event is about a message to be sent; Firebase's emulator does not call functions for these.
  var isMessage: Bool { self == .beforeSendEmail || self == .beforeSendSms }
}

extension Backend {
  /// The URL of the project's function for an event; tenants share their project's functions.
  func functionAddress(_ event: BlockingEvent) -> String? {
    guard
      let address = project.blockingFunctions["triggers"]?[event.rawValue]?["functionUri"]?.string,
      !address.isEmpty
    else { return nil }
    return address
  }

  /// Whether an operation may call one of the project's functions.
  func asksFunctions(_ operation: APIOperation) -> Bool {
    switch operation {
    case .signUp, .signInWithPassword, .signInWithEmailLink, .signInWithIdp,
      .signInWithPhoneNumber, .finalizeMFASignIn:
      functionAddress(.beforeCreate) != nil || functionAddress(.beforeSignIn) != nil
    case .sendOobCode: functionAddress(.beforeSendEmail) != nil
    case .sendVerificationCode, .startMFAEnrollment, .startMFASignIn:
      functionAddress(.beforeSendSms) != nil
    default: false
    }
  }

  /// Calls the project's function, if there is one, with an account.
  ///
  /// Other requests run meanwhile, so the caller must repeat its checks afterwards.
  func ask(
    _ event: BlockingEvent, about account: Account, _ factor: FirstFactor,
    secondFactor: String? = nil
  ) async throws(Refusal) -> FunctionAnswer {
    guard let address = functionAddress(event) else { return FunctionAnswer() }
    let claims = functionClaims(
      event, address, about: account, factor, secondFactor: secondFactor)
    let body = try await askFunction(at: address, claims)
    return try FunctionAnswer(body, to: event, rules)
  }

  /// Asks the project's function, if there is one, whether an e-mail or an SMS may be sent.
  ///
  /// Returns false if the message is to be dropped without an error for the client.
  func askAboutMessage(
    _ event: BlockingEvent, _ further: JSONObject, _ caller: Caller
  ) async throws(Refusal) -> Bool {
    guard let address = functionAddress(event) else { return true }
    var claims = functionClaims(event, address, caller)
    for (name, value) in further.entries { claims[name] = value }
    let answer = try await askFunction(at: address, claims)
    // Measured for e-mails: the client gets the usual response.
    return event != .beforeSendEmail || answer["recaptchaActionOverride"]?.string != "BLOCK"
  }

  private func askFunction(
    at address: String, _ claims: JSONObject
  ) async throws(Refusal) -> JSON {
    let seconds: Int64 = rules[.strictFunctions] ? 7 : 60
    guard let url = WebURL(address) else { throw unreachable(address) }
    // A URL from a state file was set in another run, which may have allowed more servers.
    guard context.mayCall(url) else { throw failed("((\(EmulatorContext.refusal(toCall: url))))") }
    var request = HTTPRequest.post(url, json: ["data": ["jwt": .string(try sign(claims))]])
    request.timeout = .seconds(seconds)
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await transport.send(request)
    } catch {
      guard error.code == .timedOut else { throw unreachable(address) }
      guard !rules[.strictFunctions] else {
        throw Refusal(.blockingFunctionErrorResponse, "Cloud function deadline exceeded.")
      }
      throw failed("((Deadline exceeded making request to \(address).))")
    }
    guard (200..<300).contains(response.status) else { throw refused(response, address) }
    guard let body = try? JSON.parse(response.body) else {
      throw failed("((Response body is not valid JSON.))")
    }
    return body
  }

  /// The error for the client when the function does not return success.
  private func refused(_ response: HTTPResponse, _ address: String) -> Refusal {
    guard rules[.strictFunctions] else {
      return Refusal(
        .blockingFunctionErrorResponse,
        "((HTTP request to \(address) returned HTTP error \(response.status): \(response.text)))")
    }
    // Measured: too many requests and errors of the function's server count as an outage.
    guard response.status != 429, response.status < 500 else {
      return Refusal(
        message: "Error code: 47", status: 503, reason: "backendError",
        canonicalStatus: "UNAVAILABLE")
    }
    return Refusal(
      .blockingFunctionErrorResponse,
      "HTTP Cloud Function returned an error: \(response.text)")
  }

  private func unreachable(_ address: String) -> Refusal {
    failed("((Failed to make request to \(address).))")
  }

  private func failed(_ words: String) -> Refusal {
    .internalFailure(
      "\(ServerError.blockingFunctionErrorResponse.rawValue) : \(words)",
      isCompatible: !rules[.strictFunctions])
  }

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

/// The changes that a blocking function returns; empty if there is no function.
struct FunctionAnswer {
  /// A field and its new value; nil removes the value.
  private enum Change {
    case displayName(String?)
    case photoURL(String?)
    case disabled(Bool)
    case emailVerified(Bool)
    case customAttributes(String)
  }

  private var changes: [Change] = []
  private(set) var sessionClaims = JSONObject()

  init() {}

  init(_ body: JSON, to event: BlockingEvent, _ rules: Rules) throws(Refusal) {
    guard let record = body["userRecord"], ScriptValue.isTrue(record) else { return }
    guard let mask = record["updateMask"]?.string, !mask.isEmpty else {
      throw Refusal(
        .blockingFunctionErrorResponse, "((Response UserRecord is missing updateMask.))")
    }
    for field in mask.split(separator: ",") {
      let value = record[String(field)]
      switch field {
      case "displayName": changes.append(.displayName(ScriptValue.primitiveText(value)))
      case "photoUrl": changes.append(.photoURL(ScriptValue.primitiveText(value)))
      case "disabled": changes.append(.disabled(ScriptValue.isTrue(value)))
      case "emailVerified": changes.append(.emailVerified(ScriptValue.isTrue(value)))
      case "customClaims":
        guard let value else { throw Refusal(.invalidClaims) }
        let text = value.encoded()
        try CustomClaimsLimits.check(text, rules)
        changes.append(.customAttributes(text))
      case "sessionClaims" where event == .beforeSignIn:
        guard let claims = value?.object else { continue }
        // Firebase's emulator refuses these four only; for the others the token's own value wins.
        for name in rules[.strictFunctions]
          ? ReservedClaims.forbidden : ["iss", "aud", "sub", "exp"]
        where claims[name] != nil {
          throw Refusal(.forbiddenClaim, name)
        }
        sessionClaims = claims
      default: break
      }
    }
  }

  var disables: Bool {
    changes.contains { if case .disabled(true) = $0 { true } else { false } }
  }

  func apply(to account: inout Account) {
    for change in changes {
      switch change {
      case .displayName(let name): account.displayName = name
      case .photoURL(let address): account.photoURL = address
      case .disabled(let flag): account.disabled = flag
      case .emailVerified(let flag): account.emailVerified = flag
      case .customAttributes(let text): account.customAttributes = text
      }
    }
  }
}
