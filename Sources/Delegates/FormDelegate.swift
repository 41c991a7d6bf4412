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
  private let trace: SignInTrace?
  private let observe: PageObserver?
  private var driver: FormDriver?

  /// A delegate that answers for one person.
  ///
  /// - Parameters:
  ///   - keepsSession: whether a later sign-in finds the cookies of an earlier one, as in one and the
  ///     same browser.
  ///   - trace: keeps the pages of every sign-in, secrets taken out.
  ///   - observe: hears what the person does.
  public init(
    transport: any Transport, answers: SignInAnswers, limits: FormLimits = FormLimits(),
    keepsSession: Bool = false, trace: SignInTrace? = nil, observe: PageObserver? = nil
  ) {
    self.transport = transport
    self.answers = answers
    self.limits = limits
    self.keepsSession = keepsSession
    self.trace = trace
    self.observe = observe
  }

  /// The same delegate, keeping the exchange of pages in a file.
  ///
  /// Each sign-in is a browser session of its own then, so that it can be replayed alone.
  public func recording(to file: String) -> RecordingDelegate {
    RecordingDelegate(
      transport: transport, answers: answers, limits: limits, file: file, trace: trace,
      observe: observe)
  }

  /// Signs the person in and returns the address the provider sent them back to.
  public func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    var answers = answers
    answers.languages = answers.languages ?? request.language
    let driver =
      self.driver ?? FormDriver(transport: transport, answers: answers, limits: limits)
    if keepsSession { self.driver = driver }
    let run = trace?.begin(request.providerID)
    do throws(FormDriverError) {
      return try await driver.drive(
        from: request.url, until: request.redirectURI, keeping: run,
        telling: PageNarrator(observe: observe, providerID: request.providerID)
      ).answer
    } catch {
      throw AuthError(error, providerID: request.providerID, keepsPages: run != nil)
    }
  }
}

extension AuthError {
  /// A failure of the form driver in Auth's terms, with the page in `details`.
  ///
  /// - Parameter keepsPages: whether pages are kept already; if not, the hint tells how to.
  public init(_ failure: FormDriverError, providerID: String, keepsPages: Bool = true) {
    let code: ErrorCode =
      switch failure.code {
      case .consentDenied: .webConsentDenied
      case .denialIgnored: .webDenialIgnored
      case .loginAtSignOut: .webLoginAtSignOut
      case .pageDespitePromptNone: .webPageDespitePromptNone
      case .redirectNotRegistered: .webRedirectNotRegistered
      case .passwordRefused, .usernameRefused, .answerRefused: .webCredentialsRefused
      case .errorPage: .webSignInUserInteractionFailure
      case .neverRedirects, .timedOut: .webContextTimedOut
      case .noUsableForm, .missingAnswer, .tooLarge, .cannotDeny: .webPageUnusable
      case .unsafePage: .webPageUnsafe
      case .network: .webNetworkRequestFailed
      case .cancelled: .webContextCancelled
      }
    var details: JSONObject = ["reason": .string(failure.code.rawValue)]
    details["page"] = failure.page.map { .string($0) }
    details["title"] = failure.title.map { .string($0) }
    details["pageMessage"] = failure.pageMessage.map { .string($0) }
    details["field"] = failure.field.map { .string($0) }
    details["saved"] = failure.saved.map { .string($0) }
    var hint = failure.hint
    let isAboutPage = [.errorPage, .noUsableForm, .missingAnswer, .neverRedirects]
      .contains(failure.code)
    if isAboutPage, !keepsPages {
      hint = (hint.map { "\($0); " } ?? "") + "luath run --pages FOLDER keeps the page"
    }
    self.init(
      code, "\(providerID): \(failure.message)", hint: hint, details: .object(details))
  }
}
