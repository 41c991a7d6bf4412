import Client
import IdentityToolkit
import Lua

/// What a script did so far, for warnings where it would end well although nothing came of a sign-in.
struct SignInWarnings {
  /// The providers of existing accounts that a sign-in was in conflict with, by e-mail address in lower case.
  fileprivate var conflicts: [String: [String]] = [:]
  /// The UIDs of accounts that had a password at their last sign-in.
  private var withPassword: Set<String> = []
  /// The credential of the last `getCredential`, until it is used.
  private var unused: Credential?

  /// Notes an error of a sign-in.
  mutating func note(_ error: AuthError) {
    guard error.code == .accountExistsWithDifferentCredential, let email = error.email else {
      return
    }
    conflicts[email.lowercased()] = error.verifiedProviders
  }

  /// Notes a credential that a script got without a look at the backend.
  mutating func note(got credential: Credential) { unused = credential }

  /// Notes a credential that a script uses.
  mutating func note(used credential: Credential) {
    if credential === unused { unused = nil }
  }

  /// Notes that a script removes the sign-in method of a user itself.
  mutating func note(unlinked user: User) { withPassword.remove(user.uid) }

  /// Notes a successful sign-in; returns the provider if it has removed the account's password.
  fileprivate mutating func takeover(_ result: AuthResult) -> String? {
    let methods = result.user.providerData.map(\.providerID)
    if methods.contains(EmailAuthProvider.id) {
      withPassword.insert(result.user.uid)
      return nil
    }
    guard withPassword.remove(result.user.uid) != nil,
      let id = result.additionalUserInfo?.providerID, methods.contains(id)
    else { return nil }
    return id
  }

  /// Whether a script looks for a conflict that the credential it got and never used could not raise.
  fileprivate func missesConflict(in text: [UInt8]) -> Bool {
    guard unused != nil else { return false }
    let text = String(decoding: text, as: UTF8.self)
    let code = ErrorCode.accountExistsWithDifferentCredential
    return [code.rawValue.dropFirst(), code.webCode[...], "\(code.number)"]
      .contains { text.contains($0) }
  }
}

extension Interpreter {
  /// Warns that an empty list of sign-in methods is of no use, if a conflict has shown that the address has an account.
  func warnOfProtection(_ email: String) {
    guard let providers = signInWarnings.conflicts.removeValue(forKey: email.lowercased()) else {
      return
    }
    let (auth, error) = namesOfAuthAndError
    let signIn =
      providers.first.map { "\(auth):signIn(Auth.OAuthProvider(\"\($0)\"))" }
      ?? "\(auth):signIn{ email = \(error).email, password = password }"
    let setting =
      context.projectFile == nil
      ? ""
      : "\n  or write at the top of the script\n"
        + "    require(\"luath.emulator\").configure{ enumerationProtection = false }"
    context.warn?(
      "the list of sign-in methods is empty, though the address has an account: the project protects "
        + "against e-mail enumeration",
      "write in place of the check of the list\n    \(signIn)\n"
        + "    \(auth).currentUser:link(\(error).pendingCredential)\(setting)")
  }

  /// How the script's files name the `Auth` object and the error of a sign-in.
  private var namesOfAuthAndError: (auth: String, error: String) {
    let sources = mistakes.sources.sorted { $0.key < $1.key }
      .map { String(decoding: $0.value, as: UTF8.self) }
    let auth = sources.lazy.compactMap {
      $0.firstMatch(of: /(\w+)(?: <const>)? *(?:,[^=\n]*)?= *Auth\.(?:auth|getAuth)\(\)(?![.:])/)
    }.first
    let error = sources.lazy.compactMap {
      $0.firstMatch(of: /\b(\w+)\.(?:code|webCode|userInfo|customData|pendingCredential)\b/)
    }.first
    return (
      auth.map { String($0.output.1) } ?? "Auth.auth()",
      error.map { String($0.output.1) } ?? "err"
    )
  }

  /// Notes a sign-in, and warns if it has removed the account's password.
  func note(_ result: AuthResult) {
    guard let provider = signInWarnings.takeover(result) else { return }
    context.warn?(
      "the sign-in with \(provider) has removed the account's password: \(provider) owns the address, which "
        + "the account had not verified",
      "for a conflict as in the guides, use an address of another domain for the account and here: "
        + "provider.customParameters = { login_hint = \"user@gmail.example\" }")
  }

  /// Warns at the end of a script that checks for a conflict which nothing could raise.
  func warnOfUnusedCredential(_ script: Script) {
    guard signInWarnings.missesConflict(in: script.text) else { return }
    context.warn?(
      "a credential of getCredential was not used, and getCredential raises no conflict by itself",
      "sign in with it: auth:signIn(credential); or let getCredential raise the conflict: "
        + "write local ok, err = pcall(provider.getCredential, provider, nil, { raisesConflict = true })"
    )
  }
}
