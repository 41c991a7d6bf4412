import Encoding

/// What one linked provider tells about the user.
public struct UserInfo: Sendable {
  /// The provider's id.
  public let providerID: String

  /// The user's identifier at the provider.
  public let uid: String

  /// The name to show.
  public let displayName: String?

  /// Where the picture is.
  public let photoURL: String?

  /// The e-mail address at the provider.
  public let email: String?

  /// The phone number.
  public let phoneNumber: String?

  init?(_ json: JSON) {
    guard let providerID = json["providerId"]?.string, !providerID.isEmpty else { return nil }
    self.providerID = providerID
    // The Web SDK reads rawId and the Apple SDK federatedId, which may be an address around it.
    uid = json["rawId"]?.string ?? json["federatedId"]?.string ?? ""
    displayName = json["displayName"]?.string
    photoURL = json["photoUrl"]?.string
    email = json["email"]?.string
    phoneNumber = json["phoneNumber"]?.string
  }
}
