internal import Encoding

/// The sources that a Content-Security-Policy allows.
public enum ContentPolicy {
  /// A style sheet or script that stands in the page, by its hash (CSP Level 3 section 2.3.1).
  public static func source(_ text: String) -> String {
    "'sha256-\(Base64.encode(Digest.sha256(Array(text.utf8))))'"
  }
}
