@testable import System
@testable import HTTP
import Testing

@testable import SignIn

extension Browser {
  /// Opens a browser, runs the body on the loop and ends the browser, however the body ends.
  func open(
    _ options: BrowserOptions = BrowserOptions(),
    _ body: @Sendable (BrowserSession) async throws -> Void
  ) async throws {
    let session = try await BrowserSession.open(options, loop: loop)
    do { try await body(session) } catch {
      await session.end()
      throw error
    }
    await session.end()
  }

  /// How opening fails; nil when it does not.
  func openingFailure(_ options: BrowserOptions) async -> WebDriverError? {
    do throws(WebDriverError) {
      await (try BrowserSession.open(options, loop: loop)).end()
      return nil
    } catch {
      return error
    }
  }
}

extension Browser {
  /// Opens a browser and goes to a page; how that fails.
  func closeUnderCommand(_ page: String) async throws -> WebDriverError.Code? {
    let session = try await BrowserSession.open(BrowserOptions(), loop: loop)
    opened = session
    return await session.failure { try await $0.go(to: page) }
  }

  /// Ends the browser that `closeUnderCommand` opened.
  func closeOpened() async {
    await opened?.end()
    opened = nil
  }
}

extension BrowserSession {
  /// The first element that a CSS selector finds.
  func element(_ selector: String) async throws -> ElementID {
    let found = try await execute(
      "return document.querySelector(arguments[0])", [.string(selector)])
    return try #require(ElementID(found))
  }

  /// The kind of failure of a command; nil when it does not fail.
  func failure(
    _ body: @Sendable (BrowserSession) async throws -> Void
  ) async -> WebDriverError.Code? {
    await error(body)?.code
  }

  /// How a command fails; nil when it does not.
  func error(_ body: @Sendable (BrowserSession) async throws -> Void) async -> WebDriverError? {
    do {
      try await body(self)
      return nil
    } catch {
      return error as? WebDriverError
    }
  }
}
