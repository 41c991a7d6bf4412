import Client
import Emulator
import HTTP
import IdentityToolkit
import SignIn
import System

/// A page of the emulator, filled in as one of its test users.
struct EmulatedPage: SignInPresentation {
  let interpreter: Interpreter

  func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    let tenant = Self.tenant(in: request)
    let user = try user(for: request, in: tenant)
    let answers = SignInAnswers(username: user.email, password: Secret(user.password))
    do throws(AuthError) {
      return try await FormDelegate(
        transport: interpreter.transport.browser, answers: answers,
        trace: interpreter.context.pages, observe: interpreter.pageObserver,
        recorder: interpreter.pageRecorder
      ).present(request)
    } catch {
      throw AuthError(
        error.code, error.message, hint: hint(for: error, of: user, request, in: tenant),
        details: error.details)
    }
  }

  /// The hint for an error of the page: what to change in the project file, if that helps.
  private func hint(
    for error: AuthError, of user: EmulatedPerson, _ request: SignInPageRequest, in tenant: String?
  ) -> String {
    let page = error.details?["pageMessage"]?.string ?? ""
    // An emulator that this process did not start may lack a user whom the script's project admits.
    let isElsewhere = interpreter.context.projectFile == nil
    let isNew = user.microsoft == nil
    let isUnknownTenant = page.contains("AADSTS90002")
    if isElsewhere, isNew, isUnknownTenant || error.code == .webCredentialsRefused {
      return advice.hint(forUser: user.email, in: tenant)
    }
    if let tenant, isUnknownTenant || page.contains("AADSTS50020") {
      return advice.hint(for: user.email, notIn: tenant)
    }
    if error.code == .webCredentialsRefused, !user.isKnown(to: request.providerID) {
      return advice.hint(for: user.email, notAt: request.providerID)
    }
    return error.hint
  }

  /// The user with the address of `login_hint`, or else the first one whom the provider and the tenant admit.
  private func user(
    for request: SignInPageRequest, in tenant: String?
  ) throws(AuthError) -> EmulatedPerson {
    let people = interpreter.context.people
    let anyone = interpreter.context.admitsAnyone
    let admitted = people.first { user in
      user.isKnown(to: request.providerID)
        && (tenant.map { user.microsoft?.isAdmitted(by: $0) == true } ?? true)
    }
    if let email = request.loginHint {
      if let user = people.first(where: { $0.email.lowercased() == email.lowercased() }) {
        return user
      }
      guard EmailAddress.normalized(email) != nil else {
        throw AuthError(
          .webPageUnusable, "login_hint is not an e-mail address: \"\(email)\"",
          hint: "set login_hint = \"\(admitted?.email ?? advice.newAddress(in: tenant))\", or the "
            + "address of another test user")
      }
      if anyone { return Self.newcomer(email) }
    } else if let admitted {
      return admitted
    } else if anyone {
      return Self.newcomer(advice.newAddress(in: tenant))
    }
    guard !people.isEmpty || interpreter.context.projectFile != nil else {
      throw DefaultDelegate.nobody(request.providerID)
    }
    let place =
      request.loginHint.map { "with the address \($0)" }
      ?? tenant.map { "in the tenant \($0)" } ?? "at \(request.providerID)"
    throw AuthError(
      .webPageUnusable, "the emulated project has no test user \(place)",
      hint: (request.loginHint == nil ? "" : "set another login_hint; or ")
        + advice.hint(forUser: request.loginHint, in: tenant))
  }

  /// The tenant that a request to Microsoft names; nil for any, and for other providers.
  private static func tenant(in request: SignInPageRequest) -> String? {
    let segments = request.url.path.split(separator: "/").map(String.init)
    guard request.providerID == "microsoft.com",
      let end = segments.firstIndex(of: "oauth2"), end > 0, segments[end - 1] != "common"
    else { return nil }
    return segments[end - 1]
  }

  private static func newcomer(_ email: String) -> EmulatedPerson {
    EmulatedPerson(email: email, password: ProjectConfiguration.demoPassword)
  }

  private var advice: ProjectFileAdvice {
    interpreter.context.projectFile ?? .elsewhere
  }
}
