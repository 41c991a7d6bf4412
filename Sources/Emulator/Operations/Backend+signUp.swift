internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// `accounts:signUp`: an account with e-mail and password, an anonymous one, or, with an `idToken`, a
  /// password added to the account that is signed in.
  func signUp(_ call: Call) throws(Refusal) -> JSONObject {
    let fields = call.fields
    let email = try fields.string("email")
    let password = try fields.string("password")
    let idToken = try fields.string("idToken")
    let localID = try fields.string("localId")
    let displayName = try fields.string("displayName")
    let photoURL = try fields.string("photoUrl")
    let isVerified = try fields.bool("emailVerified")
    let isDisabled = try fields.bool("disabled")
    if call.isAdmin {
      guard idToken == nil else { throw Refusal(.unexpectedParameter, "User ID") }
      return try createForAdmin(
        uid: localID, email: email, password: password, displayName: displayName,
        photoURL: photoURL, isEmailVerified: isVerified ?? false, isDisabled: isDisabled ?? false)
    }
    guard localID == nil else { throw Refusal(.unexpectedParameter, "User ID") }
    guard email != nil || password != nil || idToken != nil else { return try signUpAnonymously() }

    guard configuration.enabledProvider("password") != nil else {
      throw Refusal(.operationNotAllowed)
    }
    guard let email, !email.isEmpty else { throw Refusal(.missingEmail) }
    guard let password, !password.isEmpty else { throw Refusal(.missingPassword) }
    let token: VerifiedToken?
    if let idToken { token = try verify(idToken: idToken) } else { token = nil }
    let address = try freeAddress(email, for: token?.account.uid)
    try Self.checkStrength(of: password)

    var account = token?.account ?? Account(uid: newUID(), now: site.clock.milliseconds)
    if let token, !token.account.isAnonymous {
      // A password is a new way in, so an account that had one already asks for a fresh sign-in.
      try requireRecentLogin(token)
    }
    if account.email.map({ ExactString(string: $0) }) != ExactString(string: address) {
      account.email = address
      account.isEmailVerified = false
    }
    account.password = PasswordRecord(password, now: site.clock.milliseconds)
    if let displayName { account.displayName = displayName }
    let tokens = try signIn(
      &account, provider: "password", authTime: token?.authTime,
      extraClaims: token?.extraClaims ?? JSONObject())
    return signedUp(account, tokens)
  }

  private func signUpAnonymously() throws(Refusal) -> JSONObject {
    guard configuration.enabledProvider("anonymous") != nil else {
      throw Refusal(.adminOnlyOperation)
    }
    var account = Account(uid: newUID(), now: site.clock.milliseconds)
    let tokens = try signIn(&account, provider: "anonymous")
    return signedUp(account, tokens)
  }

  private func signedUp(_ account: Account, _ tokens: JSONObject) -> JSONObject {
    var answer: JSONObject = ["kind": "identitytoolkit#SignupNewUserResponse"]
    answer["localId"] = .string(account.uid)
    answer.set("displayName", account.displayName)
    answer.set("email", account.email)
    for (name, value) in tokens.entries { answer[name] = value }
    return answer
  }

  private func createForAdmin(
    uid: String?, email: String?, password: String?, displayName: String?, photoURL: String?,
    isEmailVerified: Bool, isDisabled: Bool
  ) throws(Refusal) -> JSONObject {
    if let uid {
      guard (1...128).contains(uid.utf8.count) else { throw Refusal(.invalidLocalID) }
      guard accounts[uid: uid] == nil else { throw Refusal(.duplicateLocalID) }
    }
    var account = Account(uid: uid ?? newUID(), now: site.clock.milliseconds)
    if let email { account.email = try freeAddress(email, for: nil) }
    if let password {
      try Self.checkStrength(of: password)
      account.password = PasswordRecord(password, now: site.clock.milliseconds)
    }
    account.displayName = displayName
    account.photoURL = photoURL
    account.isEmailVerified = isEmailVerified
    account.isDisabled = isDisabled
    accounts.save(account)
    return signedUp(account, JSONObject())
  }

  /// The address in the form accounts keep it, unless another account has it.
  func freeAddress(_ email: String, for uid: String?) throws(Refusal) -> String {
    guard let address = EmailAddress.normalized(email) else { throw Refusal(.invalidEmail) }
    if let owner = accounts[email: address],
      uid.map({ ExactString(string: $0) }) != ExactString(string: owner.uid)
    {
      throw Refusal(.emailExists)
    }
    return address
  }

  static func checkStrength(of password: String) throws(Refusal) {
    guard password.utf16.count >= 6 else {
      throw Refusal(.weakPassword, "Password should be at least 6 characters")
    }
    guard password.utf8.count <= 4096 else {
      throw Refusal(.weakPassword, "Password should be at most 4096 bytes")
    }
  }
}
