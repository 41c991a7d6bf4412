public import Auth
internal import Encoding
public import HTTP
internal import IdentityToolkit

/// Answers sign-in pages by filling their forms over HTTP: no browser, no scripts, no person.
///
/// Every presentation is a browser session of its own, unless `keepsSession` is set.
public final class FormDelegate: PageDelegate {
  private let transport: any Transport
  private let answers: SignInAnswers
  private let limits: FormLimits
  private let keepsSession: Bool
  private var driver: FormDriver?

  /// A delegate that answers for one person.
  ///
  /// - Parameter keepsSession: whether a later sign-in finds the cookies of an earlier one, as in one
  ///   and the same browser.
  public init(
    transport: any Transport, answers: SignInAnswers, limits: FormLimits = FormLimits(),
    keepsSession: Bool = false
  ) {
    self.transport = transport
    self.answers = answers
    self.limits = limits
    self.keepsSession = keepsSession
  }

  /// Signs the person in and returns the address the provider sent them back to.
  public func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    let driver =
      self.driver ?? FormDriver(transport: transport, answers: answers, limits: limits)
    if keepsSession { self.driver = driver }
    do throws(FormDriverError) {
      return try await driver.drive(from: request.url, until: request.redirectURI).answer
    } catch {
      throw AuthError(error, providerID: request.providerID)
    }
  }
}

extension AuthError {
  /// A failure of the form driver in Auth's terms, with the page in `details`.
  public init(_ failure: FormDriverError, providerID: String) {
    let code: ErrorCode =
      switch failure.code {
      case .consentDenied: .webConsentDenied
      case .passwordRefused, .usernameRefused: .webCredentialsRefused
      case .errorPage: .webSignInUserInteractionFailure
      case .neverRedirects, .timedOut: .webContextTimedOut
      case .noUsableForm, .missingAnswer, .tooLarge: .webPageUnusable
      case .unsafePage: .webPageUnsafe
      case .network: .webNetworkRequestFailed
      case .cancelled: .webContextCancelled
      }
    var details: JSONObject = ["reason": .string(failure.code.rawValue)]
    details["page"] = failure.page.map { .string($0) }
    details["title"] = failure.title.map { .string($0) }
    details["pageMessage"] = failure.pageMessage.map { .string($0) }
    details["field"] = failure.field.map { .string($0) }
    self.init(
      code, "\(providerID): \(failure.message)", hint: failure.hint, details: .object(details))
  }
}
