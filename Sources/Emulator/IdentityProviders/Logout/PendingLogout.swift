/// A question to a person whether they want to sign out, and where they are led after the answer.
struct PendingLogout {
  let session: BrowserSession
  /// The value that shows a form came from our own page.
  let formToken: String
  let target: String?
  let language: Wording.Language
}
