internal import System
public import HTTP
internal import IdentityToolkit
public import Client

/// Signs in by filling forms over HTTP, without a browser, scripts or a user.
///
/// Every presentation is its own browser session, unless `keepsSession` is set.
public final class FormDelegate: PageDelegate {
  private let transport: any Transport
  private let answers: SignInAnswers
  private let limits: FormLimits
  private let keepsSession: Bool
  private let trace: SignInTrace?
  private let observe: PageObserver?
  private let recorder: PageRecorder?
  private var driver: FormDriver?

  /// Creates a delegate for one user.
  ///
  /// - Parameters:
  ///   - keepsSession: whether later sign-ins keep the cookies of earlier ones, as in one browser.
  ///   - trace: saves the pages of every sign-in, with secrets removed.
  ///   - observe: receives the user actions.
  ///   - recorder: receives the pages that it wants.
  public init(
    transport: any Transport, answers: SignInAnswers, limits: FormLimits = FormLimits(),
    keepsSession: Bool = false, trace: SignInTrace? = nil, observe: PageObserver? = nil,
    recorder: PageRecorder? = nil
  ) {
    self.transport = transport
    self.answers = answers
    self.limits = limits
    self.keepsSession = keepsSession
    self.trace = trace
    self.observe = observe
    self.recorder = recorder
  }

  /// Returns a delegate that also records the page exchanges in a file.
  ///
  /// Each sign-in is then its own browser session, so that it can be replayed alone.
  public func recording(to file: String) -> RecordingDelegate {
    RecordingDelegate(
      transport: transport, answers: answers, limits: limits, file: file, trace: trace,
      observe: observe, recorder: recorder)
  }

  /// Signs the user in and returns the final redirect.
  public func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    var answers = answers
    answers.languages = answers.languages ?? request.language
    let driver =
      self.driver ?? FormDriver(transport: transport, answers: answers, limits: limits)
    if keepsSession { self.driver = driver }
    let run = SignInTrace.begin(request.providerID, trace, recorder)
    do throws(FormDriverError) {
      return try await driver.drive(
        from: request.url, until: request.redirectURI, keeping: run,
        telling: PageNarrator(observe: observe, providerID: request.providerID)
      ).answer
    } catch {
      throw AuthError(error, providerID: request.providerID, keepsPages: trace != nil)
    }
  }
}

extension AuthError {
  /// Converts an error of the form driver, with the page in `details`.
  ///
  /// - Parameter keepsPages: whether pages are saved already; if not, the hint mentions the option.
  init(_ failure: FormDriverError, providerID: String, keepsPages: Bool = true) {
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
