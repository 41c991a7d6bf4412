internal import HTTP
internal import IdentityToolkit

/// A page as it may be shown to whoever reads a report.
public enum ShownPage {
  /// The page's HTML with forms, labels and words, and without values, scripts and what a browser
  /// would load; nil when it is no HTML.
  ///
  /// - Parameter type: its Content-Type.
  public static func html(_ bytes: [UInt8], type: String?) -> String? {
    let charset = type.flatMap { SignInPage.parameter("charset", of: $0) }
    guard SignInPage.isHTML(type), let document = HTMLDocument(parsing: bytes, charset: charset)
    else { return nil }
    return MaskedPage.html(of: document, mask: PageMask([]), for: .viewing)
  }
}
