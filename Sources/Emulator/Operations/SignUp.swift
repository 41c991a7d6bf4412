internal import System
internal import IdentityToolkit

extension Backend {
  /// `accounts:signUp`: creates an account with e-mail and password, or an anonymous one.
  ///
  /// With an `idToken` it adds a password to the signed-in account. An administrator may create any account.
  func signUp(_ call: Call) async throws(Refusal) -> JSONObject {
    let request = try SignUpRequest(call.fields)
    try checkDisplayName(request.displayName)
    if call.isAdmin { return createdAnswer(try createForAdmin(request)) }
    guard request.factors == nil || !rules[.provenFactors] else {
      throw Refusal(.insufficientPermission, "only an administrator may set second factors")
    }
    guard request.localID?.isEmpty != false else {
      throw Refusal(.unexpectedParameter, "User ID")
    }
    guard request.idToken != nil || request.email?.isEmpty == false || request.password != nil
    else {
      guard allowsAnonymous else { throw Refusal(.adminOnlyOperation) }
      if request.email != nil { throw Refusal(.invalidEmail) }
      try requireOpenSignUp()
      var account = Account(uid: clientUID(request), now: nowMilliseconds)
      account.factors = try newFactors(request)
      try requireFree(uid: account.uid)
      add(&account)
      let tokens = try signIn(&account, provider: "anonymous")
      return signedUp(account, tokens)
    }
    guard let email = request.email, !email.isEmpty else { throw Refusal(.missingEmail) }
    guard let password = request.password else { throw Refusal(.missingPassword) }
    guard allowsPasswords else { throw Refusal(.operationNotAllowed) }
    try requireCaptcha(call.fields, for: .email)
    // Firebase's emulator checks the token last, and refuses an account's own address as taken.
    let token: VerifiedIDToken? =
      if rules[.signedTokens], let idToken = request.idToken {
        try verify(idToken: idToken)
      } else { nil }
    let address = try freeAddress(email, for: token?.account.uid)
    try checkStrength(of: password)
    let factors = try newFactors(request)
    if let idToken = request.idToken {
      let owner = if let token { token } else { try verify(idToken: idToken) }
      return try addPassword(password, address, factors, to: owner, request)
    }
    try requireOpenSignUp()
    var account = Account(uid: clientUID(request), now: nowMilliseconds)
    account.email = address
    account.emailVerified = false
    account.displayName = request.displayName
    setPassword(password, of: &account)
    account.factors = factors
    let ended = try await finishFirstFactor(.password.proved(in: call), creating: account) {
      (account) throws(Refusal) in
      _ = try freeAddress(address, for: nil)
      try requireFree(uid: account.uid)
    }
    return signedUp(ended.account, ended.answer)
  }

  private func newFactors(_ request: SignUpRequest) throws(Refusal) -> [SecondFactor]? {
    try request.factors.map { (list) throws(Refusal) in try factors(from: list, areNew: true) }
  }

  /// The id of an account that a client creates: in Firebase's emulator an empty one counts as given.
  private func clientUID(_ request: SignUpRequest) -> String {
    guard !rules[.googleAnswers], let uid = request.localID else { return newUID() }
    return uid
  }

  private func requireFree(uid: String) throws(Refusal) {
    guard accounts[uid: uid] == nil else { throw Refusal(.duplicateLocalID) }
  }

  private func addPassword(
    _ password: String, _ address: String, _ factors: [SecondFactor]?, to token: VerifiedIDToken,
    _ request: SignUpRequest
  ) throws(Refusal) -> JSONObject {
    var account = token.account
    if !account.isAnonymous {
      // A password is a new sign-in method, so an account that already has one requires a recent sign-in.
      try requireRecentLogin(token)
    }
    if !sameText(account.email, address)
      || !rules[.keepsEmailWithoutPassword]
    {
      account.email = address
      account.emailVerified = false
    }
    if rules[.revocableSessions], account.validSince == nil {
      // Setting a password sets `validSince`, which must not end the existing sessions.
      account.validSince = min(
        token.session.authTime, (account.createdAt ?? nowMilliseconds) / 1000)
    }
    setPassword(password, of: &account)
    // Firebase's emulator removes what the request omits.
    if request.displayName != nil || !rules[.protobufJSON] {
      account.displayName = request.displayName
    }
    if let factors { account.factors = factors }
    let tokens =
      rules[.revocableSessions]
      ? try issueTokens(
        for: &account, SignInSession(continuing: token.session, provider: "password"))
      : try signIn(&account, provider: "password")
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

  // MARK: Administrators

  private func createdAnswer(_ account: Account) -> JSONObject {
    guard rules[.googleAnswers] else { return signedUp(account, JSONObject()) }
    return [
      "kind": "identitytoolkit#SignupNewUserResponse", "email": .string(account.email ?? ""),
      "localId": .string(account.uid),
    ]
  }

  private func createForAdmin(_ request: SignUpRequest) throws(Refusal) -> Account {
    if request.idToken != nil, rules[.signedTokens] || request.localID?.isEmpty == false {
      throw Refusal(.unexpectedParameter, "User ID")
    }
    if let uid = request.localID, !uid.isEmpty { try requireFree(uid: uid) }
    let number = try request.phoneNumber.flatMap { (number) throws(Refusal) in
      number.isEmpty ? nil : try freeNumber(number, for: nil)
    }
    let address = try request.email.flatMap { (email) throws(Refusal) in
      email.isEmpty ? nil : try freeAddress(email, for: nil)
    }
    if let password = request.password { try checkStrength(of: password) }
    let factors = try newFactors(request)
    // The token is checked last, as for every other caller.
    var account =
      try request.idToken.map { (token) throws(Refusal) in try verify(idToken: token).account }
      ?? Account(uid: request.localID ?? newUID(), now: nowMilliseconds)
    account.displayName = request.displayName
    account.photoURL = request.photoURL
    if rules[.googleAnswers] {
      account.lastLoginAt = nil
      beginSessions(of: &account)
      account.emailVerified = address == nil ? nil : request.isEmailVerified ?? false
      account.disabled = request.isDisabled ?? false
    } else {
      account.lastLoginAt = nowMilliseconds
      account.emailVerified = request.isEmailVerified ?? false
      if request.isDisabled == true { account.disabled = true }
    }
    if let number { account.phoneNumber = number }
    if let address { account.email = address }
    if let password = request.password { setPassword(password, of: &account) }
    if let factors { account.factors = factors }
    if request.idToken == nil { try requireFree(uid: account.uid) }
    if request.idToken == nil { add(&account) } else { accounts.save(&account) }
    return account
  }
}

/// The fields of an `accounts:signUp` request.
struct SignUpRequest {
  let email: String?
  let password: String?
  let idToken: String?
  let localID: String?
  let displayName: String?
  let photoURL: String?
  let phoneNumber: String?
  let isEmailVerified: Bool?
  let isDisabled: Bool?
  /// `mfaInfo`: the account's first second factors.
  let factors: [JSON]?

  init(_ fields: Fields) throws(Refusal) {
    email = try fields.string("email")
    password = fields.text("password")
    idToken = fields.text("idToken")
    localID = try fields.string("localId")
    displayName = try fields.string("displayName")
    photoURL = try fields.string("photoUrl")
    phoneNumber = try fields.string("phoneNumber")
    isEmailVerified = try fields.bool("emailVerified")
    isDisabled = try fields.bool("disabled")
    factors = fields.value("mfaInfo")?.array
  }
}
