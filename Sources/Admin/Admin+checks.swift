import Encoding
import IdentityToolkit

extension Admin {
  /// Refuses an empty name, which the backend would take for one that was not given.
  static func check(_ text: String, _ name: String) throws(AdminError) {
    guard !text.isEmpty else {
      throw AdminError(.invalidArgument, "\(name) is empty", hint: "pass \(name)")
    }
  }

  /// Refuses what cannot be one segment of an address's path.
  ///
  /// Steps would be taken before the request is sent: the calls of a tenant named `..` would be the project's.
  static func check(segment text: String, _ name: String) throws(AdminError) {
    try check(text, name)
    guard text != ".", text != ".." else {
      throw AdminError(
        .invalidArgument, "\(name) cannot be '\(text)'",
        hint: "pass \(name) as the backend tells it")
    }
  }

  /// Refuses what cannot be a uid.
  static func check(uid: String) throws(AdminError) {
    guard (1...128).contains(uid.utf16.count) else {
      throw AdminError(
        .invalidArgument, "a uid has 1 to 128 characters, not \(uid.utf16.count)",
        hint: "pass the uid of an account")
    }
  }
}
