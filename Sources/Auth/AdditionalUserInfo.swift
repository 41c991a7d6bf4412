public import Encoding

/// What a sign-in tells beyond the user: kept by nobody else, so a script keeps it.
public struct AdditionalUserInfo: Sendable {
  /// The provider, empty for anonymous and custom-token sign-in.
  public let providerID: String

  /// Whether this sign-in made the account.
  public let isNewUser: Bool

  /// What the identity provider tells about the person, in its own words.
  public let profile: JSONObject

  /// The person's user name at the provider.
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
    // JSON as text on the wire; an object is taken as well.
    let profile = raw?.object ?? raw?.string.flatMap { (try? JSON.parse($0))?.object } ?? [:]
    self.profile = profile
    let named = [
      response["screenName"], response["username"], profile["login"],
      profile["screen_name"],
    ]
    username = named.lazy.compactMap { $0?.string }.first { !$0.isEmpty }
  }
}
