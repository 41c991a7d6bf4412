internal import System

/// Sources for a Content-Security-Policy.
public enum ContentPolicy {
  /// Returns the hash source of an inline style sheet or script (CSP Level 3 section 2.3.1).
  public static func source(_ text: String) -> String {
    "'sha256-\(Base64.encode(Digest.sha256(Array(text.utf8))))'"
  }
}
