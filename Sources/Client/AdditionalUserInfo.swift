public import System

/// Further results of a sign-in, which are not stored anywhere else.
public struct AdditionalUserInfo: Sendable {
  /// The provider's id; empty for anonymous and custom-token sign-in.
  public let providerID: String

  /// Whether this sign-in created the account.
  public let isNewUser: Bool

  /// The user's profile in the identity provider's format.
  public let profile: JSONObject

  /// The user name at the provider.
  public let username: String?

  init(providerID: String, isNewUser: Bool) {
    self.providerID = providerID
    self.isNewUser = isNewUser
    self.profile = [:]
    self.username = nil
  }

  init(_ answer: SignInAnswer) {
    let response = answer.response
    providerID = answer.providerID
    isNewUser = answer.isNewUser
    let raw = response["rawUserInfo"]
    // Normally JSON as text; an object is accepted too.
    let profile = raw?.object ?? raw?.string.flatMap { (try? JSON.parse($0))?.object } ?? [:]
    self.profile = profile
    let named = [
      response["screenName"], response["username"], profile["login"],
      profile["screen_name"],
    ]
    username = named.lazy.compactMap { $0?.string }.first { !$0.isEmpty }
  }
}
