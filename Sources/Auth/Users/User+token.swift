public import Encoding
import IdentityToolkit

extension User {
  /// The user's ID token, renewed when it has less than five minutes left, or when asked.
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

  /// Takes over the tokens that a change brought, if it brought any, and reads the account again.
  func adoptTokens(of answer: JSONObject) async throws(AuthError) {
    session.adopt(answer, now: backend.clock.now)
    try await settle()
  }

  /// Ends an operation that may have brought tokens: stores the session where it is kept, reads the
  /// account again, and tells whoever listens to tokens.
  func settle() async throws(AuthError) {
    defer { auth?.tokensChanged(of: self) }
    try await session.keep(of: self)
    try await reload()
  }

  /// What the backend tells about the account now.
  func account() async throws(AuthError) -> JSONObject {
    let account = try await call(.lookup, [:]).account()
    guard let uid = account["localId"]?.string, ExactString(uid) == ExactString(self.uid) else {
      throw AuthError(
        .internalError, "the backend answered with another account than the one asked for")
    }
    return account
  }

  /// Calls an endpoint as this user; a refusal that ends the session signs the user out.
  func call(_ endpoint: Endpoint, _ body: JSONObject) async throws(AuthError) -> JSONObject {
    var body = body
    body["idToken"] = .string(try await getIDToken().reveal())
    do {
      return try await backend.call(endpoint, body, tenantID: tenantID)
    } catch {
      throw endingSession(error)
    }
  }

  /// Signs the user out when the error says that the session is over, if it is still current.
  ///
  /// Meanwhile someone else may have signed in, who must not be signed out for it.
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
  /// The account in a lookup's answer.
  func account() throws(AuthError) -> JSONObject {
    guard let accounts = self["users"]?.array, accounts.count == 1,
      let account = accounts[0].object
    else {
      throw AuthError(.internalError, "the backend's lookup did not find exactly one account")
    }
    return account
  }
}
