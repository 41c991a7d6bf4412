internal import Encoding
internal import HTTP
internal import IdentityToolkit

extension Backend {
  /// Where the project's function for an event is; tenants share those of their project.
  func functionAddress(_ event: BlockingEvent) -> String? {
    guard
      let address = project.blockingFunctions["triggers"]?[event.rawValue]?["functionUri"]?.string,
      !address.isEmpty
    else { return nil }
    return address
  }

  /// Whether an operation may call one of the project's functions.
  func asksFunctions(_ operation: Operation) -> Bool {
    switch operation {
    case .signUp, .signInWithPassword, .signInWithEmailLink, .signInWithIdp,
      .signInWithPhoneNumber, .finalizeMFASignIn:
      functionAddress(.beforeCreate) != nil || functionAddress(.beforeSignIn) != nil
    default: false
    }
  }

  /// Asks the project's function, if there is one, what it thinks of an account.
  ///
  /// Other requests run meanwhile: whatever was found out before must be found out again.
  func ask(
    _ event: BlockingEvent, about account: Account, _ factor: FirstFactor,
    secondFactor: String? = nil
  ) async throws(Refusal) -> FunctionAnswer {
    guard let address = functionAddress(event) else { return FunctionAnswer() }
    let seconds: Int64 = rules[.strictFunctions] ? 7 : 60
    let claims = functionClaims(
      event, address, about: account, factor, secondFactor: secondFactor)
    guard let url = WebURL(address) else { throw unreachable(address) }
    // An address of a state file was set by a call of another run, which may have allowed more.
    guard site.mayCall(url) else { throw failed("((\(Site.refusal(toCall: url))))") }
    var request = HTTPRequest.post(url, json: ["data": ["jwt": .string(try sign(claims))]])
    request.timeout = .seconds(seconds)
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await transport.send(request)
    } catch {
      guard error.code == .timedOut else { throw unreachable(address) }
      throw failed("((Deadline exceeded making request to \(address).))")
    }
    guard (200..<300).contains(response.status) else {
      throw Refusal(
        .blockingFunctionErrorResponse,
        "((HTTP request to \(address) returned HTTP error \(response.status): \(response.text)))")
    }
    guard let body = try? JSON.parse(response.body) else {
      throw failed("((Response body is not valid JSON.))")
    }
    return try FunctionAnswer(body, to: event, rules)
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
