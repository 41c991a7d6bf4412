/// A pending question whether the user wants to sign out.
struct PendingLogout {
  let session: ProviderSession
  /// The value that proves a form came from our own page.
  let formToken: String
  let target: String?
  let language: Wording.Language
}
