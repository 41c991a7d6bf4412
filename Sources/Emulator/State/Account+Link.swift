extension Account {
  /// One way to sign in; those of password and phone are made up from other fields when they are asked for.
  enum Link: Sendable {
    case password
    case phone
    case federated(Box<LinkedIdentity>)

    /// The list most accounts have, which they share.
    static let passwordOnly: [Link] = [.password]

    var providerID: String {
      switch self {
      case .password: "password"
      case .phone: "phone"
      case .federated(let box): box.content.providerID
      }
    }
  }
}
