import System
import IdentityToolkit

/// The valid ids of identity providers.
enum ProviderID {
  static let password = "password"

  /// The providers available in every project; others need a prefix.
  static let builtIn = [
    "apple.com", "facebook.com", "gc.apple.com", "github.com", "google.com", "linkedin.com",
    "microsoft.com", "playgames.google.com", "twitter.com", "yahoo.com",
  ]

  /// Throws for an id that no project can have, with a suggestion.
  static func check(_ id: String) throws(AuthError) {
    if builtIn.contains(id) { return }
    for prefix in ["oidc.", "saml."] where id.hasPrefix(prefix) {
      let name = id.utf8.dropFirst(prefix.utf8.count)
      if !name.isEmpty, name.allSatisfy(isNameByte) { return }
      throw AuthError(
        .invalidProviderID, "a provider id that starts with \(prefix) needs a plain name after it",
        hint: "write it as \(prefix)NAME, with letters, digits, dots, hyphens or underscores")
    }
    let shown = String(Redaction().clean(id).prefix(60))
    if ["password", "emailLink", "phone", "anonymous", "custom", "firebase"].contains(id) {
      throw AuthError(
        .invalidProviderID, "\(shown) is not an identity provider",
        hint: id == password
          ? "use Auth.EmailAuthProvider.credential(email, password)"
          : "use the auth:signIn call of that way to sign in")
    }
    let guess = nearestName(to: id, among: builtIn)
    throw AuthError(
      .invalidProviderID, id.isEmpty ? "the provider id is empty" : "there is no provider \(shown)",
      hint: guess.map { "did you mean \($0)?" }
        ?? "use an id such as microsoft.com, yahoo.com, google.com or oidc.NAME")
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}
