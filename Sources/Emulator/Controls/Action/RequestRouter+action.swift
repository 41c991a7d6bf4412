internal import System
internal import HTTP
internal import IdentityToolkit

extension RequestRouter {
  /// `/emulator/action`: the target of links in e-mails.
  ///
  /// A program gets JSON as from Firebase's emulator. A browser, which prefers HTML, gets a page and may post its
  /// form.
  func answerAction(_ request: HTTPRequest) throws(Refusal) -> ServerResponse {
    let isPage = ActionPage.isWanted(by: request)
    let isForm = isPage && request.method == "POST"
    guard ["GET", "HEAD"].contains(request.method) || isForm else { throw .notFound }
    var fields = request.url.fields
    if isForm, let password = request.form["newPassword"] { fields.append("newPassword", password) }
    do throws(Refusal) {
      let outcome = try open(ActionLink(fields))
      if case .leadsTo(let address) = outcome {
        return ServerResponse(status: 303, headers: ["Location": Link.location(address)])
      }
      return isPage ? ActionPage.response(outcome, request) : Self.json(outcome)
    } catch {
      guard isPage else { throw error }
      return ActionPage.response(error, request)
    }
  }

  private static func json(_ outcome: ActionOutcome) -> ServerResponse {
    switch outcome {
    case .done(let members): ServerResponse(json: ["authEmulator": .object(members)])
    case .refused(let members), .wantsPassword(_, let members):
      ServerResponse(status: 400, json: ["authEmulator": .object(members)])
    case .leadsTo(let address): ServerResponse(status: 303, headers: ["Location": address])
    }
  }

  // MARK: The link

  private func open(_ link: ActionLink) throws(Refusal) -> ActionOutcome {
    guard link.hasKey else {
      return .refused(
        "missing apiKey query parameter",
        "Please modify the URL to specify an apiKey, such as ...&apiKey=YOUR_API_KEY")
    }
    guard let code = link.code else {
      return .refused(
        "missing oobCode query parameter",
        "Please modify the URL to specify an oobCode, such as ...&oobCode=YOUR_OOB_CODE")
    }
    let backend = try mailbox(of: code, tenant: link.tenantID)
    if rules[.checkedLinks], let text = link.continueURL { try backend.check(continueURL: text) }
    switch link.mode {
    case "recoverEmail": return try recover(code, backend)
    case "resetPassword": return try reset(code, link, backend)
    case "verifyEmail":
      return try apply(code, link, backend, "verify your email", "Try verifying your email again.")
      {
        ["success": "The email has been successfully verified.", "email": $0["email"] ?? .null]
      }
    case "verifyAndChangeEmail":
      return try apply(code, link, backend, "change your email", "Try changing your email again.") {
        [
          "success": "The email has been successfully changed.",
          "newEmail": $0["newEmail"] ?? .null,
        ]
      }
    case "signIn": return try signIn(link)
    default: return .refused("Invalid mode")
    }
  }

  /// The backend that sent the code.
  ///
  /// Normally it belongs to the main project. With `checkedAPIKeys` it may be any project that has the code.
  private func mailbox(of code: String, tenant: String?) throws(Refusal) -> Backend {
    let backend = try projects.main.backend(tenant: tenant)
    guard rules[.checkedAPIKeys], backend.codes[code] == nil else { return backend }
    for project in projects.all {
      // A project without the tenant has no codes for it.
      guard let other = try? project.backend(tenant: tenant), other.codes[code] != nil else {
        continue
      }
      return other
    }
    return backend
  }

  private func recover(_ code: String, _ backend: Backend) throws(Refusal) -> ActionOutcome {
    let retry =
      "If you're trying to test the reverting email flow, try changing the email again to generate a new link."
    guard let known = backend.codes[code], known.purpose == .recoverEmail else {
      return .refused("Requested mode does not match the OOB code provided.", retry)
    }
    guard let applied = try result(of: code, backend) else {
      return .refused(Self.expired("revert your email"), retry)
    }
    return .done(
      Self.present([
        "success": "The email has been successfully reset.", "email": applied["email"] ?? .null,
      ]))
  }

  private func reset(
    _ text: String, _ link: ActionLink, _ backend: Backend
  ) throws(Refusal) -> ActionOutcome {
    guard let code = try? backend.liveCode(text), code.purpose == .passwordReset else {
      return .refused(Self.expired("reset your password"), "Try resetting your password again.")
    }
    var help: JSONObject = [
      "error": "missing newPassword query parameter",
      "instructions": .string(
        "To reset the password for \(code.email), send an HTTP GET request to the following URL."),
      "instructions2": "You may use a web browser or any HTTP client, such as curl.",
      "urlTemplate": .string(code.templateLink),
    ]
    guard let password = link.newPassword else { return .wantsPassword(for: code.email, help) }
    guard password != OutOfBandCode.passwordPlaceholder else {
      help["error"] = "newPassword must be something other than 'NEW_PASSWORD_HERE'"
      help["instructions"] = "The string 'NEW_PASSWORD_HERE' is just a placeholder."
      help["instructions2"] = "Please change the URL to specify a new password instead."
      return .wantsPassword(for: code.email, help)
    }
    try backend.requireOpen()
    guard backend.allowsPasswords else { throw Refusal(.passwordLoginDisabled) }
    try backend.reset(code, to: password)
    if let address = link.continueURL { return .leadsTo(address) }
    return .done([
      "success": "The password has been successfully updated.", "email": .string(code.email),
    ])
  }

  private func apply(
    _ code: String, _ link: ActionLink, _ backend: Backend, _ wish: String, _ retry: String,
    success: (JSONObject) -> JSONObject
  ) throws(Refusal) -> ActionOutcome {
    guard let applied = try result(of: code, backend) else {
      return .refused(Self.expired(wish), retry)
    }
    if let address = link.continueURL { return .leadsTo(address) }
    return .done(Self.present(success(applied)))
  }

  /// The result of applying the code; nil when it is unknown, used, expired or has another purpose.
  private func result(of code: String, _ backend: Backend) throws(Refusal) -> JSONObject? {
    do throws(Refusal) {
      return try backend.apply(code: code)
    } catch {
      guard error.error == .invalidOOBCode || error.error == .expiredOOBCode || error.status == 501
      else { throw error }
      return nil
    }
  }

  /// Redirects to the app with all parameters of the link; the app signs in and checks the code.
  private func signIn(_ link: ActionLink) throws(Refusal) -> ActionOutcome {
    guard let text = link.continueURL else {
      return .refused(
        "Missing continueUrl query parameter",
        "To sign in, append &continueUrl=YOUR_APP_URL to the link.")
    }
    guard var address = Link(text) else {
      throw Refusal(
        .invalidContinueURI, "((expected an absolute URI with valid scheme and host))")
    }
    for (name, value) in link.parameters { address.set(name, value) }
    return .leadsTo(address.text)
  }

  private static func expired(_ wish: String) -> String {
    "Your request to \(wish) has expired or the link has already been used."
  }

  private static func present(_ members: JSONObject) -> JSONObject {
    var kept = JSONObject()
    for (name, value) in members.entries where !value.isNull { kept[name] = value }
    return kept
  }
}
