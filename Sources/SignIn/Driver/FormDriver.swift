internal import System
internal import HTTP
internal import Client

/// Signs in by filling HTML forms over HTTP, like a browser without scripts.
///
/// It follows redirects, keeps cookies, and fills login, account and consent forms. It stops at a
/// redirect to the redirect address, without fetching it. One driver is one browser session: a
/// second `drive` uses the cookies of the first.
final class FormDriver {
  private let transport: any Transport
  let answers: SignInAnswers
  private let limits: FormLimits
  private var cookies = CookieJar()

  /// Creates a driver for one user.
  init(transport: any Transport, answers: SignInAnswers, limits: FormLimits = FormLimits()) {
    self.transport = transport
    self.answers = answers
    self.limits = limits
  }

  /// Opens `start` and continues until the provider redirects to `redirect`.
  ///
  /// A redirect with an error counts as an arrival, except for a consent that the answers deny.
  ///
  /// - Parameter run: saves each page, with secrets removed.
  func drive(
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
    // Sign-ins that share this session may run concurrently, so the state of one sign-in is in its visit.
    var visit = DriveState(
      start: start, redirect: redirect, limits: limits, run: run, narrator: narrator)
    do throws(FormDriverError) {
      return try await drive(&visit)
    } catch {
      throw error.saved(in: visit.response.flatMap { keep($0, "failed", visit) })
    }
  }

  private func drive(_ visit: inout DriveState) async throws(FormDriverError) -> SignInArrival {
    let redirect = visit.redirect
    var reader = FormReader(answers: answers, start: visit.start)
    var request = Outgoing(url: visit.start)
    while true {
      let response: HTTPResponse
      switch try await fetch(request, &visit, reader) {
      case .arrived(let arrival): return try finish(arrival, visit, reader)
      case .page(let answer): response = answer
      }
      visit.response = response
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
        // A page that refreshes itself waits for something; any other redirect is followed at once.
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

  /// Decides the next step on a page, and saves the page.
  private func next(
    on page: SignInPage, of response: HTTPResponse, _ visit: DriveState, _ reader: inout FormReader
  ) throws(FormDriverError) -> FormReader.Step {
    if visit.pages >= limits.pages { throw reader.failure(.neverRedirects, on: page) }
    let step = try step(on: page, status: response.status, visit, &reader)
    if ContinuousClock.now > visit.deadline { throw reader.failure(.timedOut, on: page) }
    keep(response, "\(step.purpose)", visit)
    visit.narrator.takes(step, on: page)
    return step
  }

  /// Decides the next step.
  ///
  /// After a denial, only steps that still need an answer are taken.
  private func step(
    on page: SignInPage, status: Int, _ visit: DriveState, _ reader: inout FormReader
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

  private func page(
    of response: HTTPResponse, _ visit: DriveState, _ reader: FormReader
  ) throws(FormDriverError) -> SignInPage {
    do throws(PageFault) {
      return try SignInPage(response, until: visit.deadline)
    } catch {
      throw reader.failure(error, notAPage: response)
    }
  }

  @discardableResult
  private func keep(_ response: HTTPResponse, _ step: String, _ visit: DriveState) -> String? {
    guard let run = visit.run, run.wants(step) else { return nil }
    return run.keep(
      html: response.body, at: response.url, step: step, type: response.headers["Content-Type"],
      status: response.status, secrets: answers.secrets)
  }

  private func pause(
    _ page: SignInPage, _ visit: DriveState, _ reader: FormReader
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

  /// Sends a request and follows its redirects until a page or the redirect address.
  private func fetch(
    _ first: Outgoing, _ visit: inout DriveState, _ reader: FormReader
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
      // A redirect without a fragment inherits the one of the request (RFC 9110, section 10.2.2).
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
    _ outgoing: Outgoing, _ visit: DriveState, _ reader: FormReader
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

  /// Recognizes a `form_post` page: a form of hidden fields sent to the redirect address.
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
    _ arrival: SignInArrival, _ visit: DriveState, _ reader: FormReader
  ) throws(FormDriverError) -> SignInArrival {
    if let denial = visit.denial(arrival, reader) { throw denial }
    visit.narrator.arrives(visit.redirect)
    return arrival
  }
}

extension FormDriver {
  /// Checks where a request sends passwords and codes.
  ///
  /// They may go only from the provider's own pages to its own servers, encrypted unless on this
  /// machine, and never in a URL.
  func guardSecrets(
    _ request: Outgoing, _ visit: DriveState, _ reader: FormReader
  ) throws(FormDriverError) {
    guard request.holdsSecret else { return }
    if request.method == "GET" {
      throw reader.failure(
        .unsafePage, on: visit.place(request.url),
        because: "its form would put the answer into the address")
    }
    for url in [request.page, request.url].compactMap({ $0 }) {
      guard let objection = visit.objection(toSecretsAt: url, answers) else { continue }
      throw reader.failure(
        .unsafePage, on: visit.place(url), because: objection.reason, trustable: objection.origin)
    }
  }
}

/// A request of the form driver, before cookies are added.
struct Outgoing {
  var method = "GET"
  var url: WebURL
  var contentType: String?
  var origin: String?
  var body: [UInt8] = []
  /// Whether it contains something only the provider may know.
  var holdsSecret = false
  /// The page it comes from; nil for a URL that the user entered.
  var page: WebURL?

  init(url: WebURL, from page: WebURL? = nil) {
    self.url = url
    self.page = page
  }

  init(_ submission: FormSubmission, from page: SignInPage, holdsSecret: Bool) {
    method = submission.method
    url = submission.url
    contentType = submission.contentType
    body = submission.body
    origin = submission.method == "POST" ? page.url.origin : nil
    self.holdsSecret = holdsSecret
    self.page = page.url
  }

  /// Returns the request for a redirect.
  ///
  /// Only 307 and 308 repeat method and body (Fetch standard, "HTTP-redirect fetch").
  func redirected(to next: WebURL, status: Int) -> Outgoing {
    guard status == 307 || status == 308 else { return Outgoing(url: next, from: page) }
    var again = self
    again.url = next
    if next.origin != url.origin, again.origin != nil { again.origin = "null" }
    return again
  }

  /// The origin for the SameSite rules of cookies.
  var requestOrigin: RequestOrigin {
    guard let page, !HostTrust.isSame(page, url) else { return .sameSite }
    return .otherSite(isSafe: method == "GET")
  }

  /// The Referer header.
  ///
  /// It is the full URL within one origin, otherwise the origin; nothing from an encrypted page to
  /// an unencrypted one (Referrer Policy, "strict-origin-when-cross-origin").
  var referrer: String? {
    guard let page else { return nil }
    if page.origin == url.origin { return page.with(fragment: nil).description }
    if page.scheme == "https", url.scheme != "https" { return nil }
    return page.origin + "/"
  }
}

/// The final redirect of a sign-in; its URL is never fetched.
struct SignInArrival: Sendable {
  /// The final URL, including query and fragment.
  let url: WebURL
  /// The fields of a `form_post` response; nil when the response is in the URL.
  let posted: FormFields?

  /// The response in the form that Auth needs to finish the sign-in.
  var answer: PageAnswer {
    PageAnswer(finalURL: url.description, postBody: posted.map { Secret($0.encoded) })
  }

  /// The provider's `error` parameter.
  var providerError: String? {
    posted?["error"] ?? url.fields["error"] ?? url.fragmentFields["error"]
  }

  /// Whether the response contains a code or token of OAuth or OpenID Connect, or a SAML response.
  ///
  /// The last page of a device sign-in, or of a recording, has none.
  var isGrant: Bool {
    LoopbackFields.results.contains {
      posted?[$0] != nil || url.fields[$0] != nil || url.fragmentFields[$0] != nil
    }
  }
}
