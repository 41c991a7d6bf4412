internal import Client
internal import System
internal import HTTP
internal import IdentityToolkit

final class WebDriverPresentation: SignInPresentation {
  private let delegate: WebDriverDelegate
  private let listener: LoopbackListener?
  private let inbox: BrowserInbox?
  private var listening: LoopTask?
  private var page: Page?
  private var hasEnded = false

  var redirectURL: WebURL? { listener?.redirectURL }

  init(_ delegate: WebDriverDelegate) throws(AuthError) {
    self.delegate = delegate
    listener = try delegate.settings.redirectURI.map { url throws(AuthError) in
      try LoopbackListener(redirectURI: url, loop: delegate.loop)
    }
    inbox = listener == nil ? nil : BrowserInbox()
  }

  func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    let page: Page
    do throws(PageError) { page = try await delegate.page(for: request) } catch {
      throw AuthError(error, providerID: request.providerID)
    }
    guard !hasEnded else {
      await page.close()
      throw AuthError(.webContextCancelled, "\(request.providerID): the sign-in was ended")
    }
    self.page = page
    listen(request)
    let run = delegate.settings.trace?.begin(request.providerID)
    let driver = BrowserDriver(
      page, request, answers: delegate.settings.answers, limits: delegate.settings.limits,
      inbox: inbox, run: run,
      narrator: PageNarrator(
        observe: delegate.settings.observe, providerID: request.providerID))
    guard let script = delegate.script else { return try await driver.drive() }
    return try await driver.drive(by: script)
  }

  private func listen(_ request: SignInPageRequest) {
    guard let listener, let inbox else { return }
    listener.expect(state: request.url.fields["state"])
    listening = LoopTask(on: delegate.loop) {
      do throws(AuthError) {
        inbox.settle(.success(try await listener.answer()))
      } catch {
        inbox.settle(.failure(error))
      }
    }
  }

  func end() async {
    hasEnded = true
    listener?.stop()
    await listening?.end()
    guard let page else { return }
    self.page = nil
    await delegate.giveBack(page)
  }
}
