internal import Client
internal import System
internal import HTTP

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
