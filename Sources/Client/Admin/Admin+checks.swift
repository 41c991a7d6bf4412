import System
import IdentityToolkit

extension Admin {
  /// Rejects an empty text, which the backend would treat as missing.
  static func check(_ text: String, _ name: String) throws(AdminError) {
    guard !text.isEmpty else {
      throw AdminError(.invalidArgument, "\(name) is empty", hint: "pass \(name)")
    }
  }

  /// Rejects a text that cannot be a path segment of a URL.
  ///
  /// Dot segments are resolved before sending: calls for a tenant named `..` would go to the project.
  static func check(segment text: String, _ name: String) throws(AdminError) {
    try check(text, name)
    guard text != ".", text != ".." else {
      throw AdminError(
        .invalidArgument, "\(name) cannot be '\(text)'",
        hint: "pass \(name) as the backend tells it")
    }
  }

  /// Rejects a text that cannot be a uid.
  static func check(uid: String) throws(AdminError) {
    guard (1...128).contains(uid.utf16.count) else {
      throw AdminError(
        .invalidArgument, "a uid has 1 to 128 characters, not \(uid.utf16.count)",
        hint: "pass the uid of an account")
    }
  }
}
