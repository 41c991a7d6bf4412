import System

/// The user's data at one linked provider.
public struct UserInfo: Sendable {
  /// The provider's id.
  public let providerID: String

  /// The user's id at the provider.
  public let uid: String

  /// The display name.
  public let displayName: String?

  /// The URL of the photo.
  public let photoURL: String?

  /// The e-mail address at the provider.
  public let email: String?

  /// The phone number.
  public let phoneNumber: String?

  init?(_ json: JSON) {
    guard let providerID = json["providerId"]?.string, !providerID.isEmpty else { return nil }
    self.providerID = providerID
    // The Web SDK reads `rawId`, the Apple SDK `federatedId`, which may be a URL that contains the id.
    uid = json["rawId"]?.string ?? json["federatedId"]?.string ?? ""
    displayName = json["displayName"]?.string
    photoURL = json["photoUrl"]?.string
    email = json["email"]?.string
    phoneNumber = json["phoneNumber"]?.string
  }
}
