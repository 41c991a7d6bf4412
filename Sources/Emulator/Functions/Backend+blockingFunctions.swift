internal import System
internal import HTTP
internal import IdentityToolkit

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
}
