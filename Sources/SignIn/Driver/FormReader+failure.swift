internal import System
internal import HTTP
internal import OIDC

/// Why a sign-in through HTML forms failed, and the page where it ended.
///
/// No field contains a password or a query: URLs end at the path, and answers are removed from texts of the page.
struct FormDriverError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure; each has its own remedy.
  enum Code: String, Sendable, CaseIterable {
    /// The page or redirect limit was reached before the redirect address.
    case neverRedirects
    /// The page has no form or button that the driver can use.
    case noUsableForm
    /// The page requires a field without an answer.
    case missingAnswer
    /// The provider asks for the password again.
    case passwordRefused
    case usernameRefused
    /// The provider asks for a code or another secret answer again.
    case answerRefused
    case errorPage
    /// Consent was denied, as configured.
    case consentDenied
    /// The page cannot be denied reliably, and nothing was sent.
    case cannotDeny
    /// Consent was denied, but the provider signed the user in.
    case denialIgnored
    /// A sign-out asks for a login; nothing was entered.
    case loginAtSignOut
    /// The provider shows a page although `prompt=none` forbids it; nothing was entered.
    case pageDespitePromptNone
    case redirectNotRegistered
    /// Nothing secret was sent, because the page belongs to another site or is not encrypted.
    case unsafePage
    /// The time limit of the sign-in was reached.
    case timedOut
    /// A page exceeds the size limit.
    case tooLarge
    case network
    case cancelled
  }

  /// The kind of failure.
  let code: Code
  /// What happened, and at which page.
  let message: String
  /// What to do about it.
  let hint: String?
  /// The page's URL without its query.
  let page: String?
  /// The page's title, or its heading when it has no title.
  let title: String?
  /// The error message on the page.
  let pageMessage: String?
  /// The field or button at which the driver stopped.
  let field: String?
  /// The file with the saved page, if pages are saved; secrets are removed.
  var saved: String?

  /// The message, with the hint when there is one.
  var description: String { hint.map { "\(message); \($0)" } ?? message }

  func saved(in file: String?) -> FormDriverError {
    var failure = self
    failure.saved = file
    return failure
  }
}

extension FormReader {
  func failure(
    _ code: FormDriverError.Code, on page: SignInPage, field: String? = nil, status: Int? = nil,
    because reason: String? = nil, isPassword: Bool = false, trustable: String? = nil
  ) -> FormDriverError {
    let address = "\(page.url.origin)\(page.url.path)"
    let isError = code == .errorPage || code == .redirectNotRegistered
    let said = isError ? words(ofErrorPage: page) : page.message.map { without($0) }
    let title = without(page.title.isEmpty ? page.heading : page.title)
    var message: String
    var hint: String?
    let name = title.isEmpty ? "the page \(address)" : "the page \"\(title)\" at \(address)"
    switch code {
    case .passwordRefused:
      message = "\(name) asks for the password again"
      hint = "check the password of \(answers.username)"
    case .usernameRefused:
      message = "\(name) does not accept the user name"
      hint = "check that \(answers.username) has an account there"
    case .answerRefused:
      message = "\(name) asks for the field \"\(field ?? "")\" again"
      hint = "check the answer for it; a code for one use may be spent or too old"
    case .missingAnswer:
      message = "\(name) needs the field \"\(field ?? "")\", and "
      message += reason ?? "there is no answer for it"
      hint = Self.hint(missing: field ?? "", isWrong: reason != nil, isPassword: isPassword)
    case .errorPage:
      message = "\(name) shows an error" + (status.map { " (status \($0))" } ?? "")
      if let challenge = page.challenge {
        message += ": it asks for HTTP authentication (\(challenge)), not by a form"
      }
      hint =
        status.map { $0 >= 500 || $0 == 429 } == true
        ? "the fault is the provider's: wait a while and call provider:getCredential again"
        : "check the client's registration at the provider: identifier, scopes, and "
          + (redirectAddress.map { "\($0) as a redirect address" } ?? "redirect address")
    case .redirectNotRegistered:
      message = "\(name) refuses the redirect address" + (status.map { " (status \($0))" } ?? "")
      hint =
        "register \(redirectAddress ?? "the redirect address") for the client at the provider,"
        + " letter for letter"
    case .cannotDeny:
      message = "\(name) cannot be denied, and nothing was sent: \(reason ?? "")"
      hint = "press the button in a browser: use ui.webdriver instead of ui.form"
    case .denialIgnored:
      message = "\(name) was denied, and the provider signed the user in all the same"
      hint = "check the page: its button to deny accepts"
    case .loginAtSignOut:
      message = "\(name) asks for a login during a sign-out; nothing was typed"
      hint =
        "the provider finds no session to end: sign out with the delegate that signed in, and "
        + "give that keepsSession = true"
    case .pageDespitePromptNone:
      message =
        "\(name) was shown although prompt=none asks for no page; nothing was typed or pressed"
      hint =
        "sign in first with the same delegate and keepsSession = true, or leave prompt=none out; "
        + "without a session the provider should redirect with login_required"
    case .noUsableForm:
      message = "\(name) has no form that can be filled" + (reason.map { ": \($0)" } ?? "")
      hint =
        page.needsScript
        ? "the page is built by a script: use ui.webdriver instead of ui.form"
        : "use ui.webdriver or a function instead of ui.form"
    case .consentDenied:
      message = task == .signOut ? "the sign-out was denied on" : "consent was denied on"
      message += " \(name)"
      hint = "answer with consent = true to accept"
    case .unsafePage:
      message = "nothing secret was sent to \(name): \(reason ?? "")"
      hint =
        trustable.map { "if it is the provider's, name it: trustedOrigins = { \"\($0)\" }" }
        ?? "have the page mended: no option makes it fit for passwords and codes"
    case .neverRedirects:
      message = "the sign-in never reached the redirect address; it ended at \(name)"
      if let reason { message += ": \(reason)" }
      hint = "check the redirect address registered at the provider, or use ui.webdriver"
    case .timedOut:
      message = "the sign-in ran out of time at \(name)"
      hint = "allow more time, or see what the page waits for"
    case .tooLarge:
      message = "\(name): \(reason ?? code.rawValue)"
      hint = "a page may have 2 MiB: use ui.webdriver instead of ui.form"
    case .network, .cancelled: message = "\(name): \(reason ?? code.rawValue)"
    }
    if code != .noUsableForm, let said, !said.isEmpty { message += ", with the message: \(said)" }
    return FormDriverError(
      code: code, message: message, hint: hint, page: address, title: title.isEmpty ? nil : title,
      pageMessage: said ?? (isError && !page.heading.isEmpty ? without(page.heading) : nil),
      field: field)
  }

  /// Creates the error for an error page; errors about the redirect address have their own code.
  func failure(onErrorPage page: SignInPage, status: Int? = nil) -> FormDriverError {
    let words = [page.title, page.heading, page.message ?? "", reported(by: page) ?? ""]
    let isAboutRedirect =
      words.contains { RedirectComplaint.isMentioned(in: $0) } || refusesRedirect(page)
    return failure(isAboutRedirect ? .redirectNotRegistered : .errorPage, on: page, status: status)
  }

  /// Whether a page, of any status, rejects the redirect address.
  func refusesRedirect(_ page: SignInPage) -> Bool {
    // A page may also repeat the request, including the redirect address.
    [page.title, page.heading, page.message ?? "", page.remark ?? ""].contains {
      RedirectComplaint.isMentioned(in: $0) && RedirectComplaint.isMade(in: $0)
    }
  }

  /// Returns the message of an error page: from an alert, from its URL, or from its text.
  private func words(ofErrorPage page: SignInPage) -> String? {
    (page.message ?? reported(by: page) ?? page.remark).map { without($0) }
  }

  /// Returns the error in a page's URL.
  private func reported(by page: SignInPage) -> String? {
    let fields = page.url.fields
    return Self.words(ofError: fields["error"], fields["error_description"])
  }

  /// Formats an OAuth 2.0 error (RFC 6749 section 4.1.2.1) in one line.
  private static func words(ofError error: String?, _ description: String?) -> String? {
    let parts = [error, description].compactMap { $0 }.filter { !$0.isEmpty }
    return parts.isEmpty ? nil : SignInPage.shortened(parts.joined(separator: ": "))
  }

  private static func hint(missing field: String, isWrong: Bool, isPassword: Bool) -> String {
    if isPassword { return "give the delegate the password" }
    if isWrong { return "correct the answer" }
    if field.isEmpty { return "use ui.webdriver: the field has no name and no label" }
    return "give an answer under the field's name: fields = { [\"\(field)\"] = … }"
  }

  func failure(_ fault: PageFault, notAPage response: HTTPResponse) -> FormDriverError {
    let place = SignInPage(emptyAt: response.url)
    if case .late = fault { return failure(.timedOut, on: place) }
    var report = place
    report.challenge = SignInPage.challenge(of: response)
    report.message = Self.message(of: response)
    if response.status >= 400 { return failure(onErrorPage: report, status: response.status) }
    if refusesRedirect(report) { return failure(onErrorPage: report) }
    let type = response.headers["Content-Type"].map {
      SignInPage.shortened(PageForm.trimmed(String($0.prefix { $0 != ";" })))
    }
    guard let type, !SignInPage.isHTML(type) else {
      let reason =
        if let reason = fault.reason {
          reason
        } else if response.body.isEmpty {
          "it is empty"
        } else if response.headers["Content-Encoding"] != nil {
          "it is compressed, which was not asked for"
        } else {
          "it is a download"
        }
      return failure(.noUsableForm, on: place, because: reason)
    }
    return failure(.noUsableForm, on: place, because: "it is no page but \(without(type))")
  }

  /// Returns the error message of a response in JSON or plain text.
  private static func message(of response: HTTPResponse) -> String? {
    if let error = try? response.json().object {
      // `detail` is from problem details (RFC 9457); many other servers use `message`.
      let description = ["error_description", "detail", "message"].lazy
        .compactMap { error[$0]?.string }.first
      return words(ofError: error["error"]?.string, description)
    }
    guard response.headers["Content-Type"]?.lowercased().hasPrefix("text/plain") == true else {
      return nil
    }
    let text = SignInPage.words(String(decoding: response.body.prefix(4_000), as: UTF8.self))
    return text.isEmpty ? nil : text
  }

  /// Removes every secret answer from a text of the page.
  private func without(_ text: String) -> String {
    var clean = text
    for secret in answers.fields.values.map({ $0.reveal() }) + [answers.password?.reveal() ?? ""]
    where secret.utf8.count >= 4 {
      clean = clean.split(separator: secret, omittingEmptySubsequences: false).joined(
        separator: "[secret]")
    }
    return clean
  }
}
