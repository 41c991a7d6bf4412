import IdentityToolkit
public import System

extension User {
  /// The user's ID token, renewed when it expires within five minutes or when forced.
  public func getIDToken(forcingRefresh: Bool = false) async throws(AuthError) -> Secret {
    do {
      return try await session.freshToken(forcingRefresh: forcingRefresh, of: self)
    } catch {
      throw endingSession(error)
    }
  }

  /// The user's ID token with its claims.
  public func getIDTokenResult(
    forcingRefresh: Bool = false
  ) async throws(AuthError) -> IDTokenResult {
    try IDTokenResult(await getIDToken(forcingRefresh: forcingRefresh))
  }

  /// Reads the account again.
  public func reload() async throws(AuthError) {
    apply(try await account())
  }

  /// Adopts the tokens in a response, if any, and reads the account again.
  func adoptTokens(of answer: JSONObject) async throws(AuthError) {
    session.adopt(answer, now: backend.clock.now)
    try await settle()
  }

  /// Finishes an operation that may have returned tokens.
  ///
  /// Saves the session to the store, reads the account again, and calls the listeners for tokens.
  func settle() async throws(AuthError) {
    defer { auth?.tokensChanged(of: self) }
    try await session.keep(of: self)
    try await reload()
  }

  /// Reads the account from the backend.
  func account() async throws(AuthError) -> JSONObject {
    let account = try await call(.lookup, [:]).account()
    guard let uid = account["localId"]?.string, ExactString(uid) == ExactString(self.uid) else {
      throw AuthError(
        .internalError, "the backend returned another account than the requested one")
    }
    return account
  }

  /// Calls an endpoint as this user; an error that ends the session signs the user out.
  func call(_ endpoint: Endpoint, _ body: JSONObject) async throws(AuthError) -> JSONObject {
    var body = body
    body["idToken"] = .string(try await getIDToken().reveal())
    do {
      return try await backend.call(endpoint, body, tenantID: tenantID)
    } catch {
      throw endingSession(error)
    }
  }

  /// Signs the user out if the error means that the session has ended, and the user is still current.
  ///
  /// Another user may have signed in meanwhile, and must stay signed in.
  func endingSession(_ error: AuthError) -> AuthError {
    switch error.code {
    case .userNotFound, .userDisabled, .invalidUserToken, .userTokenExpired:
      auth?.forget(uid)
    default: break
    }
    return error
  }
}

extension JSONObject {
  /// The account in the response to a lookup.
  func account() throws(AuthError) -> JSONObject {
    guard let accounts = self["users"]?.array, accounts.count == 1,
      let account = accounts[0].object
    else {
      throw AuthError(.internalError, "the backend's lookup did not find exactly one account")
    }
    return account
  }
}

/// A decoded ID token, whose signature is not verified.
public struct IDTokenResult: Sendable {
  /// The token.
  public let token: Secret

  /// All claims, including custom ones.
  public let claims: JSONObject

  /// When the token expires, in seconds since 1970.
  public let expirationDate: Int64?

  /// When the user last signed in or reauthenticated, in seconds since 1970.
  public let authDate: Int64?

  /// When the token was issued, in seconds since 1970.
  public let issuedAtDate: Int64?

  /// The provider of that sign-in.
  public let signInProvider: String?

  /// The kind of second factor of that sign-in.
  public let signInSecondFactor: String?

  init(_ token: Secret) throws(AuthError) {
    let decoded: IDTokenClaims
    do {
      decoded = try IDTokenClaims(decoding: token.reveal())
    } catch {
      throw AuthError(.malformedJWT, error.message)
    }
    self.token = token
    claims = decoded.claims
    expirationDate = decoded.expiresAt
    authDate = decoded.authTime
    issuedAtDate = decoded.issuedAt
    signInProvider = decoded.signInProvider
    signInSecondFactor = decoded.signInSecondFactor
  }
}
