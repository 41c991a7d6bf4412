import HTTP
import System

extension Page {
  /// Stores users in the browser, at each of their origins, and opens the app at the first one.
  ///
  /// - Parameter path: The path of the app's page, and of the page that stores a user if the origin has no icon.
  public func signIn(_ state: BrowserState, path: String = "/") async throws(PageError) {
    for origin in state.origins.reversed() {
      try await openPage(of: origin, path)
      _ = try await evaluate("return \(state.script)")
    }
    guard let origin = state.origins.first else { return }
    try await open(origin + path)
  }

  /// Opens any page of an origin, at best one without the app.
  ///
  /// A running app could remove the user that is being stored, or leave the origin for a sign-in page.
  private func openPage(of origin: String, _ path: String) async throws(PageError) {
    var failure: PageError?
    var shown = ""
    for candidate in ["/favicon.ico", path] {
      do throws(PageError) {
        try await open(origin + candidate)
        shown = try await evaluate("return location.origin").string ?? ""
        if shown == origin { return }
      } catch {
        guard error.code == .navigationFailed else { throw error }
        failure = error
      }
    }
    if let failure, shown.isEmpty { throw failure }
    throw PageError(
      .navigationFailed, "the page \(origin)\(Page.place(path)) leads to \(shown)",
      hint: "set path to a page of \(origin) that does not lead elsewhere, such as /robots.txt")
  }
}
