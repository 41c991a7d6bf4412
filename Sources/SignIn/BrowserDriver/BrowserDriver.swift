internal import System
internal import HTTP
internal import IdentityToolkit
public import Client

/// Signs in by using pages in a browser; the form driver does the same over HTTP.
///
/// Both use `FormReader` to decide what to fill and press. This one also waits for the page's scripts.
final class BrowserDriver {
  let page: Page
  let answers: SignInAnswers
  let limits: FormLimits
  let request: SignInPageRequest
  private let deadline: ContinuousClock.Instant
  private let inbox: AnswerSlot?
  private let run: SignInTrace.Run?
  private let narrator: PageNarrator

  init(
    _ page: Page, _ request: SignInPageRequest, answers: SignInAnswers, limits: FormLimits,
    inbox: AnswerSlot?, run: SignInTrace.Run?, narrator: PageNarrator
  ) {
    self.page = page
    self.request = request
    self.answers = answers
    self.limits = limits
    deadline = .now + limits.duration
    self.inbox = inbox
    self.run = run
    self.narrator = narrator
  }

  /// Opens the sign-in page and drives it until the provider redirects back.
  func drive() async throws(AuthError) -> PageAnswer {
    var visit = DriveState(
      start: request.url, redirect: request.redirectURI, limits: limits, run: run,
      narrator: narrator)
    do throws(AuthError) {
      try await open()
      return try await drive(&visit)
    } catch {
      throw await pictured(error)
    }
  }

  private func drive(_ visit: inout DriveState) async throws(AuthError) -> PageAnswer {
    var reader = FormReader(answers: answers, start: request.url, runsScripts: true)
    var before: PageReport?
    var misses = 0
    while true {
      let kept = reader
      switch try await next(after: before, visit, &reader) {
      case .arrived(let answer): return try finish(answer, visit, reader)
      case .step(let step, let report):
        guard let shown = report.page else { continue }
        visit.page = shown
        visit.pages += 1
        if visit.pages >= limits.pages {
          throw failed(reader.failure(.neverRedirects, on: shown))
        }
        await picture("\(step.purpose)")
        if try await perform(step, report, on: shown, &visit, reader) {
          narrator.takes(step, on: shown)
          before = report
          misses = 0
        } else {
          // The page replaced the elements we read: read it again.
          misses += 1
          if misses > 5 { throw failed(reader.failure(.noUsableForm, on: shown)) }
          reader = kept
        }
      }
    }
  }

  /// Opens the page; an immediate redirect back is fine as well.
  private func open() async throws(AuthError) {
    narrator.opens(request.url)
    do throws(PageError) {
      try await page.open(request.url.description)
    } catch {
      if error.code == .navigationFailed, let address = try? await page.address(),
        let url = WebURL(address), request.redirectURI.isSamePlace(as: url)
      {
        return
      }
      throw failed(error)
    }
  }

  /// Lets a script drive the page.
  ///
  /// If it returns no response, waits for the redirect.
  func drive(by script: WebDriverDelegate.Script) async throws(AuthError) -> PageAnswer {
    do throws(AuthError) {
      try await open()
      if let answer = try await script(page, request) { return answer }
      var round = 0
      while true {
        let address = try await asked { () async throws(PageError) in try await page.address() }
        if let answer = try await arrival(address) { return answer }
        if ContinuousClock.now > deadline {
          let place = WebURL(address).map { "\($0.origin)\($0.path)" } ?? "no page"
          throw AuthError(
            .webContextTimedOut,
            "\(request.providerID): the script has ended and the browser is at \(place)",
            hint: "let the script finish the sign-in, or return the final address from it")
        }
        try await asked { () async throws(PageError) in try await page.pause(round) }
        round += 1
      }
    } catch {
      throw await pictured(error)
    }
  }

  // MARK: Redirect

  /// Returns the provider's response if the browser is at the redirect address or the listener has it.
  func arrival(_ address: String) async throws(AuthError) -> PageAnswer? {
    let answer = try await looked(at: address)
    if answer != nil { narrator.arrives(request.redirectURI) }
    return answer
  }

  private func looked(at address: String) async throws(AuthError) -> PageAnswer? {
    if let answer = try inbox?.result?.get() { return answer }
    guard let url = WebURL(address), request.redirectURI.isSamePlace(as: url) else { return nil }
    if let inbox {
      // A posted response does not show in the URL: our listener has it, or will have it soon.
      for round in 0..<30 {
        if let answer = try inbox.result?.get() { return answer }
        try await asked { () async throws(PageError) in try await page.pause(round) }
      }
    } else if url.query == nil, url.fragment == nil {
      throw AuthError(
        .webPageUnusable,
        "\(request.providerID): the browser is back at the redirect address without a response",
        hint: "a provider that posts its response needs a listener: pass a redirectURI of this"
          + " machine, such as http://127.0.0.1/callback")
    }
    return PageAnswer(finalURL: address)
  }

  private func finish(
    _ answer: PageAnswer, _ visit: DriveState, _ reader: FormReader
  ) throws(AuthError) -> PageAnswer {
    guard let url = WebURL(answer.finalURL) else { return answer }
    let posted = answer.postBody.map { FormFields(parsing: $0.reveal()) }
    let arrival = SignInArrival(url: url, posted: posted)
    if let denial = visit.denial(arrival, reader) { throw failed(denial) }
    return answer
  }

  // MARK: Failures

  func failed(_ failure: FormDriverError) -> AuthError {
    guard failure.code == .noUsableForm || failure.code == .cannotDeny else {
      return AuthError(failure, providerID: request.providerID)
    }
    let error = AuthError(failure, providerID: request.providerID)
    return AuthError(
      error.code, error.message,
      hint: "drive the page yourself: ui.webdriver{ script = function(page, request) … end }",
      details: error.details)
  }

  func failed(_ failure: PageError) -> AuthError {
    AuthError(failure, providerID: request.providerID)
  }

  /// Performs a page operation and converts its errors to those of the sign-in.
  func asked<T>(_ body: () async throws(PageError) -> T) async throws(AuthError) -> T {
    do throws(PageError) { return try await body() } catch { throw failed(error) }
  }

  // MARK: Screenshots

  /// Records what the page shows; returns the file of the picture.
  @discardableResult
  private func picture(_ step: String) async -> String? {
    guard let run, run.wants(step) else { return nil }
    let mask = PageMask(answers.secrets)
    guard let view = await page.view(covering: { mask.text(run.clean($0)) }), let url = view.url
    else { return nil }
    return run.keep(
      view.picture, html: view.html, at: url, step: step, type: PageView.type,
      secrets: answers.secrets)
  }

  /// Records what the page shows at a failure.
  private func pictured(_ error: AuthError) async -> AuthError {
    guard let file = await picture("failed") else { return error }
    return error.adding(["saved": .string(file)])
  }
}

extension AuthError {
  /// Converts a page error, with the page in `details`.
  public init(_ failure: PageError, providerID: String) {
    let code: ErrorCode =
      switch failure.code {
      case .browserUnavailable: .webBrowserUnavailable
      case .browserFailed, .notSupported: .webBrowserFailed
      case .pageClosed, .cancelled: .webContextCancelled
      case .navigationFailed: .webNetworkRequestFailed
      case .timedOut: .webContextTimedOut
      case .elementNotFound, .ambiguousLocator, .invalidLocator, .notInteractable,
        .javascriptError, .dialogOpened, .fileFailed:
        .webPageUnusable
      }
    var details: JSONObject = ["reason": .string(failure.code.rawValue)]
    details["page"] = failure.page.map { .string($0) }
    details["title"] = failure.title.map { .string($0) }
    self.init(
      code, "\(providerID): \(failure.message)", hint: failure.hint, details: .object(details))
  }
}

extension BrowserDriver {
  enum Next {
    case arrived(PageAnswer)
    case step(FormReader.Step, PageReport)
  }

  /// How long to wait for a page that shows no reaction to a click.
  private static let patience: Duration = .seconds(10)
  /// How long a page without a usable form may keep building itself.
  private static let settling: Duration = .seconds(3)
  /// How long a page with an error message may still change.
  private static let verdict: Duration = .milliseconds(700)

  /// Waits for a page that can be filled in, or for the redirect.
  ///
  /// A page is read when two consecutive reports agree. A report of the same document counts as a
  /// new page when something in it has changed, or after `patience`.
  func next(
    after before: PageReport?, _ visit: DriveState, _ reader: inout FormReader
  ) async throws(AuthError) -> Next {
    let began = ContinuousClock.now
    var still = Stillness()
    var round = 0
    while true {
      let address = try await asked { () async throws(PageError) in try await page.address() }
      if let answer = try await arrival(address) { return .arrived(answer) }
      let report = try await asked { () async throws(PageError) in try await page.report() }
      still.note(report)
      if let shown = report.page {
        try refuse(report.stopped, on: shown, reader)
        let isSame = report.root == before?.root && report.look == before?.look
        let isWorking = isSame && ContinuousClock.now - began < Self.patience
        if still.looks > 1, !isWorking, report.isComplete || still.time > .seconds(2) {
          var trial = reader
          switch decision(on: shown, report, visit, &trial) {
          case .success(let step):
            if !runsByItself(step) || still.time > Self.settling {
              reader = trial
              return .step(step, report)
            }
          case .failure(let failure):
            if still.time >= limit(for: failure, report, before) { throw failed(failure) }
          }
        }
      } else if report.address.hasPrefix("chrome-error:"), still.time > .milliseconds(300) {
        let place = visit.page ?? SignInPage(emptyAt: request.url)
        throw failed(
          reader.failure(.network, on: place, because: "the page after it could not be loaded"))
      }
      if ContinuousClock.now > visit.deadline {
        throw failed(
          reader.failure(.timedOut, on: report.page ?? SignInPage(emptyAt: request.url)))
      }
      try await asked { () async throws(PageError) in try await page.pause(round) }
      round += 1
    }
  }

  private func refuse(
    _ stopped: String?, on shown: SignInPage, _ reader: FormReader
  ) throws(AuthError) {
    guard let stopped else { return }
    let isAddress = stopped == "address"
    let reason =
      isAddress
      ? "its form would put the answer into the address"
      : "its form would send it to \(SignInPage.shortened(stopped))"
    throw failed(
      reader.failure(
        .unsafePage, on: shown, because: reason,
        trustable: isAddress ? nil : WebURL(stopped)?.origin))
  }

  /// Decides the step on a page.
  ///
  /// After a denial, only steps that still need an answer are taken.
  private func decision(
    on shown: SignInPage, _ report: PageReport, _ visit: DriveState, _ reader: inout FormReader
  ) -> Result<FormReader.Step, FormDriverError> {
    do throws(FormDriverError) {
      let step = try reader.step(on: shown, status: report.status)
      if visit.deniedOn != nil, step.purpose == .proceed || step.purpose == .choice {
        return .failure(reader.failure(.consentDenied, on: shown, field: visit.denyButton))
      }
      return .success(step)
    } catch {
      guard visit.deniedOn != nil else { return .failure(error) }
      return .failure(reader.failure(.consentDenied, on: shown, field: visit.denyButton))
    }
  }

  /// Returns how long a page must stay unchanged before its error counts.
  private func limit(
    for failure: FormDriverError, _ report: PageReport, _ before: PageReport?
  ) -> Duration {
    switch failure.code {
    case .noUsableForm: return Self.settling
    case .errorPage: return report.status >= 400 ? .zero : Self.verdict
    case .passwordRefused, .usernameRefused:
      // A new document is the provider's response; the same document may still be checking.
      if report.root != before?.root { return .zero }
      return report.page?.message != before?.page?.message ? Self.verdict : Self.settling
    default: return Self.verdict
    }
  }

  /// Whether the page's own script is about to submit this form of hidden fields.
  private func runsByItself(_ step: FormReader.Step) -> Bool {
    guard case .send(let form, let submitter, _) = step else { return false }
    return form.isOnlyHidden && submitter == nil
  }
}

/// How long a page has stayed unchanged.
private struct Stillness {
  private var look: String?
  private var root: ElementID?
  private var since = ContinuousClock.now
  private(set) var looks = 0

  var time: Duration { ContinuousClock.now - since }

  mutating func note(_ report: PageReport) {
    let look = report.look
    if look == self.look, report.root == root {
      looks += 1
    } else {
      self.look = look
      root = report.root
      since = .now
      looks = 1
    }
  }
}
