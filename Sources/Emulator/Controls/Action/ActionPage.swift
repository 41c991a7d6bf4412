internal import System
internal import HTTP
internal import IdentityToolkit

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
        400, "This did not work",
        """
        <h1>This did not work</h1>
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
      footer: "A page of the luath emulator. Nothing here is sent to anybody."
    ).response(status: status)
    // No form-action: browsers also apply it to the redirect to the app.
    response.headers.set("X-Frame-Options", "DENY")
    return response
  }
}
