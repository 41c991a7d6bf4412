/// A function that is called with the current user, from when it is added to an Auth until it is removed.
public final class AuthListener {
  private let hearsTokens: Bool
  private let hear: (User?) -> Void
  private var heard: ExactUser?

  init(hearsTokens: Bool, _ hear: @escaping (User?) -> Void) {
    self.hearsTokens = hearsTokens
    self.hear = hear
  }

  /// Reports the current user; a listener for users only is called for another uid only.
  func tell(_ user: User?) {
    let isKnown = heard.map { $0.isSame(as: user) } ?? false
    heard = ExactUser(uid: user?.uid)
    if hearsTokens || !isKnown { hear(user) }
  }

  /// Sets the last reported user to none, without a call.
  func reset() { heard = ExactUser(uid: nil) }

  /// The user at the listener's last call.
  private struct ExactUser {
    let uid: String?

    func isSame(as user: User?) -> Bool {
      guard let user, let uid else { return user == nil && self.uid == nil }
      return user.hasID(uid)
    }
  }
}
