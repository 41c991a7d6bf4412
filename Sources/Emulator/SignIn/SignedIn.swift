internal import System

/// The result of a first factor: tokens, or a request for the second factor.
struct SignedIn {
  let account: Account
  /// `idToken`, `refreshToken` and `expiresIn`, or `mfaPendingCredential` and `mfaInfo`.
  let answer: JSONObject
}
