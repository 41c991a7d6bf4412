internal import Encoding
public import HTTP

/// Signs a person in by filling HTML forms over HTTP, as a browser without scripts would.
///
/// It follows redirects, keeps cookies, fills login, account and consent forms, and stops when it is
/// sent to the redirect address, without fetching that. One driver is one browser session: a second
/// `drive` finds the cookies of the first.
public final class FormDriver {
  private let transport: any Transport
  let answers: SignInAnswers
  private let limits: FormLimits
  private var cookies = CookieJar()

  /// A driver that answers for one person.
  public init(transport: any Transport, answers: SignInAnswers, limits: FormLimits = FormLimits()) {
    self.transport = transport
    self.answers = answers
    self.limits = limits
  }

  /// Opens `start` and goes on until the provider comes back to `redirect`.
  ///
  /// Coming back with an error is an arrival as well, except for a consent that the answers deny.
  ///
  /// - Parameter run: keeps each page, secrets taken out.
  public func drive(
    from start: WebURL, until redirect: WebURL, keeping run: SignInTrace.Run? = nil
  ) async throws(FormDriverError) -> SignInArrival {
    try await drive(
      from: start, until: redirect, keeping: run,
      telling: PageNarrator(observe: nil, providerID: start.host))
  }

  func drive(
    from start: WebURL, until redirect: WebURL, keeping run: SignInTrace.Run?,
    telling narrator: PageNarrator
  ) async throws(FormDriverError) -> SignInArrival {
    narrator.opens(start)
    var reader = FormReader(answers: answers, start: start)
    // Sign-ins that share this session may run at once, so what belongs to one is in its visit.
    var visit = Visit(
      start: start, redirect: redirect, limits: limits, run: run, narrator: narrator)
    var request = Outgoing(url: start)
    while true {
      let response: HTTPResponse
      switch try await fetch(request, &visit, reader) {
      case .arrived(let arrival): return try finish(arrival, visit, reader)
      case .page(let answer): response = answer
      }
      let page = try page(of: response, visit, reader)
      visit.page = page
      visit.pages += 1
      if let arrival = Self.handover(page, redirect: redirect, reader) {
        keep(response, "answer", visit)
        return try finish(arrival, visit, reader)
      }
      switch try next(on: page, of: response, visit, &reader) {
      case .follow(let url, let purpose):
        if purpose == .deny { visit.deny(on: page, button: nil) }
        // A page that asks for itself again waits for something; any other is left at once.
        if url == page.url, url == page.refresh { try await pause(page, visit, reader) }
        request = Outgoing(url: url, from: page.url)
      case .send(let form, let submitter, let purpose):
        if purpose == .deny { visit.deny(on: page, button: submitter?.title) }
        guard let submission = FormSubmission(form, submitter: submitter, on: page) else {
          throw reader.failure(.noUsableForm, on: page, field: submitter?.title)
        }
        request = Outgoing(submission, from: page, holdsSecret: reader.isSecretFilled)
        try guardSecrets(request, visit, reader)
        if submission.method == "POST", redirect.isSamePlace(as: submission.url) {
          let arrival = SignInArrival(url: submission.url, posted: FormFields(submission.fields))
          return try finish(arrival, visit, reader)
        }
      }
    }
  }

  /// What to do on a page, which is kept whatever that is.
  private func next(
    on page: SignInPage, of response: HTTPResponse, _ visit: Visit, _ reader: inout FormReader
  ) throws(FormDriverError) -> FormReader.Step {
    do throws(FormDriverError) {
      if visit.pages >= limits.pages { throw reader.failure(.neverRedirects, on: page) }
      let step = try step(on: page, status: response.status, visit, &reader)
      if ContinuousClock.now > visit.deadline { throw reader.failure(.timedOut, on: page) }
      keep(response, "\(step.purpose)", visit)
      visit.narrator.takes(step, on: page)
      return step
    } catch {
      throw error.saved(in: keep(response, "failed", visit))
    }
  }

  /// What to do on a page; after a denial only pages that still ask something are gone on with.
  private func step(
    on page: SignInPage, status: Int, _ visit: Visit, _ reader: inout FormReader
  ) throws(FormDriverError) -> FormReader.Step {
    let step: FormReader.Step
    do throws(FormDriverError) {
      step = try reader.step(on: page, status: status)
    } catch {
      throw visit.deniedOn == nil
        ? error : reader.failure(.consentDenied, on: page, field: visit.denyButton)
    }
    if visit.deniedOn != nil, step.purpose == .proceed || step.purpose == .choice {
      throw reader.failure(.consentDenied, on: page, field: visit.denyButton)
    }
    return step
  }

  /// Reads a response as a page.
  private func page(
    of response: HTTPResponse, _ visit: Visit, _ reader: FormReader
  ) throws(FormDriverError) -> SignInPage {
    do throws(PageFault) {
      return try SignInPage(response, until: visit.deadline)
    } catch {
      keep(response, "failed", visit)
      throw reader.failure(error, notAPage: response)
    }
  }

  @discardableResult
  private func keep(_ response: HTTPResponse, _ step: String, _ visit: Visit) -> String? {
    visit.run?.page(
      html: response.body, at: response.url, step: step, type: response.headers["Content-Type"],
      status: response.status, secrets: answers.secrets)
  }

  private func pause(
    _ page: SignInPage, _ visit: Visit, _ reader: FormReader
  ) async throws(FormDriverError) {
    let left = visit.deadline - ContinuousClock.now
    do throws(HTTPError) {
      try await transport.pause(for: min(.seconds(max(page.refreshDelay, 1)), left))
    } catch {
      throw reader.failure(.cancelled, on: page, because: error.message)
    }
  }

  private enum Fetched {
    case page(HTTPResponse)
    case arrived(SignInArrival)
  }

  /// Sends one request and follows its redirects up to a page or the redirect address.
  private func fetch(
    _ first: Outgoing, _ visit: inout Visit, _ reader: FormReader
  ) async throws(FormDriverError) -> Fetched {
    var request = first
    var redirects = 0
    while true {
      if visit.redirect.isSamePlace(as: request.url), request.method == "GET" {
        return .arrived(SignInArrival(url: request.url, posted: nil))
      }
      try guardSecrets(request, visit, reader)
      let response = try await send(request, visit, reader)
      cookies.store(response.headers.all("Set-Cookie"), from: request.url)
      guard [301, 302, 303, 307, 308].contains(response.status),
        let location = response.headers["Location"]
      else { return .page(response) }
      guard var next = request.url.resolving(PageForm.trimmed(location)) else {
        throw reader.failure(
          .noUsableForm, on: visit.place(request.url),
          because: "it redirects to what is no web address, as to an app")
      }
      // A fragment survives a redirect that has none of its own (RFC 9110, section 10.2.2).
      if next.fragment == nil, let fragment = request.url.fragment {
        next = next.with(fragment: fragment)
      }
      redirects += 1
      if redirects > limits.redirects {
        throw reader.failure(
          .neverRedirects, on: visit.place(request.url),
          because: "\(limits.redirects) redirects in a row led to no page")
      }
      request = request.redirected(to: next, status: response.status)
    }
  }

  private func send(
    _ outgoing: Outgoing, _ visit: Visit, _ reader: FormReader
  ) async throws(FormDriverError) -> HTTPResponse {
    let left = visit.deadline - ContinuousClock.now
    guard left > .zero else { throw reader.failure(.timedOut, on: visit.place(outgoing.url)) }
    var headers = HTTPHeaders()
    headers.set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
    headers.set("Accept-Language", answers.languages ?? "en")
    if let cookie = cookies.header(for: outgoing.url, from: outgoing.requestOrigin) {
      headers.set("Cookie", cookie)
    }
    if let referrer = outgoing.referrer { headers.set("Referer", referrer) }
    if let type = outgoing.contentType { headers.set("Content-Type", type) }
    if let origin = outgoing.origin { headers.set("Origin", origin) }
    let request = HTTPRequest(
      method: outgoing.method, url: outgoing.url.with(fragment: nil), headers: headers,
      body: outgoing.body, timeout: min(.seconds(30), left),
      maximumResponseBytes: limits.pageBytes, maximumRedirects: 0)
    do throws(HTTPError) {
      return try await transport.send(request)
    } catch {
      let code: FormDriverError.Code =
        switch error.code {
        case .timedOut: .timedOut
        case .tooLarge: .tooLarge
        case .cancelled: .cancelled
        default: .network
        }
      throw reader.failure(code, on: visit.place(outgoing.url), because: error.message)
    }
  }

  /// The `form_post` page: a form of hidden fields aimed at the redirect address.
  private static func handover(
    _ page: SignInPage, redirect: WebURL, _ reader: FormReader
  ) -> SignInArrival? {
    for form in page.forms where form.isOnlyHidden && reader.isAnswer(form, on: page) {
      let submitter = form.submitters.first
      guard
        form.destination(submitter: submitter, page: page.url, base: page.base)
          .map({ redirect.isSamePlace(as: $0) }) == true,
        let submission = FormSubmission(form, submitter: submitter, on: page)
      else { continue }
      let isPost = submission.method == "POST"
      return SignInArrival(
        url: submission.url, posted: isPost ? FormFields(submission.fields) : nil)
    }
    return nil
  }

  private func finish(
    _ arrival: SignInArrival, _ visit: Visit, _ reader: FormReader
  ) throws(FormDriverError) -> SignInArrival {
    if let denial = visit.denial(arrival, reader) { throw denial }
    visit.narrator.arrives(visit.redirect)
    return arrival
  }
}
