internal import Encoding

/// What a refresh token stands for: one sign-in of one account.
struct RefreshSession: Sendable {
  let uid: String
  let signInProvider: String
  /// Seconds since 1970 when the person last proved who they are; refreshing does not renew it.
  let authTime: Int64
  /// Claims of the custom token that started the session.
  let extraClaims: JSONObject
}
