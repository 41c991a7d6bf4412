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

/// The page a user sees after opening a link from an e-mail; it needs no script and no other resource.
enum ActionPage {
  /// Whether the request comes from a browser: its `Accept` prefers HTML to JSON (RFC 9110 section 12.5.1).
  ///
  /// Programs send `*/*`, `application/json` or nothing, and get JSON. Only the page itself posts a form.
  static func isWanted(by request: HTTPRequest) -> Bool {
    guard request.method == "GET" || isForm(request), let header = request.headers["Accept"] else {
      return false
    }
    let html = weight(of: "text/html", in: header)
    let json = weight(of: "application/json", in: header)
    guard let html, html.weight > 0 else { return false }
    guard let json else { return true }
    return (html.weight, json.position) > (json.weight, html.position)
  }

  private static func isForm(_ request: HTTPRequest) -> Bool {
    let type = request.headers["Content-Type"] ?? ""
    return type.asciiLowercased.utf8.starts(with: "application/x-www-form-urlencoded".utf8)
  }

  private static func weight(of type: String, in header: String) -> (weight: Double, position: Int)?
  {
    for (position, range) in header.split(separator: ",").enumerated() {
      let parts = range.split(separator: ";").map { part in
        String(part.filter { $0 != " " }).asciiLowercased
      }
      guard parts.first == type else { continue }
      let weight = parts.dropFirst().first { $0.utf8.starts(with: "q=".utf8) }
        .flatMap { Double(String($0.utf8.dropFirst(2)) ?? "") }
      return (weight ?? 1, position)
    }
    return nil
  }

  // MARK: Pages

  static func response(_ outcome: ActionOutcome, _ request: HTTPRequest) -> ServerResponse {
    switch outcome {
    case .done(let members):
      let email = (members["newEmail"] ?? members["email"])?.string
      let person: Markup = email.map { "<p class=\"person\">\($0)</p>" } ?? .nothing
      return page(
        200, "Done",
        "<h1>Done</h1>\n\(person)\n<p role=\"status\">\(text(members["success"]))</p>")
    case .refused(let members):
      return page(
        400, "The link does not work",
        """
        <h1>The link does not work</h1>
        <p class="notice" role="alert">\(text(members["error"]))</p>
        <p>\(text(members["instructions"]))</p>
        """)
    case .wantsPassword(let email, let members):
      let isEmpty = request.method == "GET" && request.url.fields["newPassword"] == nil
      return form(
        isEmpty ? 200 : 400, for: email, request, problem: isEmpty ? nil : members["error"]?.string)
    case .leadsTo(let address):
      return ServerResponse(status: 303, headers: ["Location": address])
    }
  }

  /// The response to an error: a weak password is asked for again, any other error is final.
  static func response(_ refusal: Refusal, _ request: HTTPRequest) -> ServerResponse {
    let words = refusal.detail ?? refusal.message
    guard refusal.error == .weakPassword || refusal.error == .passwordDoesNotMeetRequirements else {
      return response(.refused(refusal.message), request)
    }
    return form(400, for: nil, request, problem: words)
  }

  private static func form(
    _ status: Int, for email: String?, _ request: HTTPRequest, problem: String?
  ) -> ServerResponse {
    var query = FormFields()
    for pair in request.url.fields.pairs where pair.name != "newPassword" {
      query.append(pair.name, pair.value)
    }
    let person: Markup = email.map { "<p class=\"person\">\($0)</p>\n" } ?? .nothing
    let notice: Markup =
      problem.map { "<p class=\"notice\" id=\"problem\" role=\"alert\">\($0)</p>\n" } ?? .nothing
    let described = Markup(
      raw: problem == nil ? "" : " aria-invalid=\"true\" aria-describedby=\"problem\"")
    return page(
      status, "Choose a new password",
      """
      <h1>Choose a new password</h1>
      \(person)\(notice)<form method="post" action="/emulator/action?\(Link.formEncoded(query))">
      <label for="newPassword">New password</label>
      <input type="password" id="newPassword" name="newPassword" autocomplete="new-password" required \
      autofocus\(described)>
      <div class="row"><button type="submit">Save</button></div>
      </form>
      """)
  }

  private static func text(_ value: JSON?) -> String { value?.string ?? "" }

  private static func page(_ status: Int, _ title: String, _ content: Markup) -> ServerResponse {
    var response = CardPage(
      title: title, kind: .oidc, content: content,
      footer: "A page of the luath emulator. No account here is real."
    ).response(status: status)
    // No form-action: browsers also apply it to the redirect to the app.
    response.headers.set("X-Frame-Options", "DENY")
    return response
  }
}

/// The result of opening a link from an e-mail.
enum ActionOutcome {
  /// Success; the members describe what was done and for which account.
  case done(JSONObject)
  /// Failure; the members have the error and instructions.
  case refused(JSONObject)
  /// A new password is required; the members explain this to a program.
  case wantsPassword(for: String, JSONObject)
  /// The browser is redirected to the app.
  case leadsTo(String)

  static func refused(_ error: String, _ instructions: String? = nil) -> ActionOutcome {
    var members: JSONObject = ["error": .string(error)]
    members.set("instructions", instructions)
    return .refused(members)
  }
}

/// The parameters of a link from an e-mail.
struct ActionLink {
  private let fields: FormFields

  init(_ fields: FormFields) { self.fields = fields }

  var hasKey: Bool { one("apiKey") != nil }
  var code: String? { one("oobCode") }
  var mode: String? { one("mode") }
  var tenantID: String? { one("tenantId") }
  var continueURL: String? { one("continueUrl") }
  var newPassword: String? { one("newPassword") }

  /// The query parameters passed on to the app behind a sign-in link: those that occur exactly once.
  var parameters: [FormFields.Pair] {
    fields.pairs.filter { pair in pair.name != "continueUrl" && fields.all(pair.name).count == 1 }
  }

  /// A parameter's value; an empty one counts as absent.
  ///
  /// Firebase's emulator reads a repeated parameter as a list, which never equals a valid value. Joining the values
  /// has the same effect.
  private func one(_ name: String) -> String? {
    let values = fields.all(name)
    guard values.count < 2 else { return values.joined(separator: ",") }
    return values.first.flatMap { $0.isEmpty ? nil : $0 }
  }
}
