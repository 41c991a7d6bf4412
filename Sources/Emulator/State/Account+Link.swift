extension Account {
  /// A sign-in method; the details of `password` and `phone` come from the account's own fields.
  enum Link: Sendable {
    case password
    case phone
    case federated(Box<LinkedIdentity>)

    /// The list that most accounts have; they share it to save memory.
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
