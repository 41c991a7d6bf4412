import HTTP

@testable import Delegates

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
}
