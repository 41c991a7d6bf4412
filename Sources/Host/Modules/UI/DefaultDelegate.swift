import Client
import SignIn
import System
import HTTP
import IdentityToolkit

/// The default delegate: with an emulator, fills the forms as one of its test users; with a real project, opens
/// the page in the browser of the user at the terminal.
struct DefaultDelegate: AuthUIDelegate {
  private let interpreter: Interpreter
  private let isEmulated: Bool

  init(_ interpreter: Interpreter, isEmulated: Bool) {
    self.interpreter = interpreter
    self.isEmulated = isEmulated
  }

  func begin(_ providerID: String) async throws(AuthError) -> SignInWay {
    guard isEmulated else { return try await browser(providerID).begin(providerID) }
    return .page(EmulatedPage(interpreter: interpreter))
  }

  private func browser(_ providerID: String) throws(AuthError) -> BrowserDelegate {
    guard let terminal = interpreter.context.terminal, terminal.isInteractive,
      let address = try? LoopbackAddress(nil)
    else { throw Self.nobody(providerID) }
    return BrowserDelegate(
      address: address, opener: interpreter.systemOpener, terminal: terminal,
      loop: interpreter.actor.loop)
  }
}

extension DefaultDelegate {
  fileprivate static func nobody(_ providerID: String) -> AuthError {
    AuthError(
      .webPageUnusable, "nobody was told how to show the sign-in page of \(providerID)",
      hint: "pass a delegate: provider:getCredential(ui.form{ username = …, password = … }); "
        + "others are ui.webdriver, ui.browser and ui.paste")
  }
}

/// A page of the emulator, filled in as one of its test users.
private struct EmulatedPage: SignInPresentation {
  let interpreter: Interpreter

  func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    let people = interpreter.context.people
    guard !people.isEmpty else { throw DefaultDelegate.nobody(request.providerID) }
    let known = people.filter { $0.providers.isEmpty || $0.providers.contains(request.providerID) }
    let person: EmulatedPerson?
    if let hint = request.loginHint {
      person = people.first { $0.email.lowercased() == hint.lowercased() }
    } else {
      person = known.first
    }
    guard let person else {
      throw AuthError(
        .webPageUnusable,
        "the emulated project has no person "
          + (request.loginHint.map { "with the address \($0)" } ?? "at \(request.providerID)"),
        hint: "add one under people in the project file, or set another login_hint")
    }
    let answers = SignInAnswers(username: person.email, password: Secret(person.password))
    return try await FormDelegate(
      transport: interpreter.transport.browser, answers: answers,
      trace: interpreter.context.pages, observe: interpreter.pageObserver
    ).present(request)
  }
}
