public import Client
internal import System
internal import HTTP
internal import IdentityToolkit

/// Signs in by using pages in a browser; the form driver does the same over HTTP.
///
/// Both use `FormReader` to decide what to fill and press. This one also waits for the page's scripts.
final class BrowserDriver {
  let page: Page
  let answers: SignInAnswers
  let limits: FormLimits
  let request: SignInPageRequest
  private let deadline: ContinuousClock.Instant
  private let inbox: BrowserInbox?
  private let run: SignInTrace.Run?
  private let narrator: PageNarrator

  init(
    _ page: Page, _ request: SignInPageRequest, answers: SignInAnswers, limits: FormLimits,
    inbox: BrowserInbox?, run: SignInTrace.Run?, narrator: PageNarrator
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
        await picture("\(step.purpose)", at: shown.url)
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
    if let answer = try inbox?.answer { return answer }
    guard let url = WebURL(address), request.redirectURI.isSamePlace(as: url) else { return nil }
    if let inbox {
      // A posted response does not show in the URL: our listener has it, or will have it soon.
      for round in 0..<30 {
        if let answer = try inbox.answer { return answer }
        try await asked { () async throws(PageError) in try await page.pause(round) }
      }
    } else if url.query == nil, url.fragment == nil {
      throw AuthError(
        .webPageUnusable,
        "\(request.providerID): the browser is back at the redirect address without an answer",
        hint: "a provider that posts its answer needs a listener: pass a redirectURI of this"
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

  /// Saves a screenshot and the page source; returns the file of the screenshot.
  @discardableResult
  func picture(_ step: String, at url: WebURL) async -> String? {
    guard let run, let png = try? await page.screenshot() else { return nil }
    let file = run.picture(png: png, at: url, step: step)
    if let source = try? await page.source() {
      run.page(html: source, at: url, step: step, secrets: answers.secrets)
    }
    return file
  }

  /// Saves a screenshot of a failure, after the contents of fields are hidden.
  private func pictured(_ error: AuthError) async -> AuthError {
    guard run != nil, let address = try? await page.address(), let url = WebURL(address) else {
      return error
    }
    _ = try? await page.evaluate(PageScript.veil)
    guard let file = await picture("failed", at: url) else { return error }
    var details = error.details?.object ?? [:]
    details["saved"] = .string(file)
    return AuthError(
      error.code, error.message, hint: error.hint, serverName: error.serverName,
      details: .object(details))
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
