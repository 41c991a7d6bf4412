internal import HTTP
internal import IdentityToolkit

/// Makes pages safe to show in a report.
public enum ShownPage {
  /// Returns the page's HTML without values, scripts and external resources; nil if it is not HTML.
  ///
  /// Forms, labels and text stay.
  ///
  /// - Parameter type: its Content-Type.
  public static func html(_ bytes: [UInt8], type: String?) -> String? {
    let charset = type.flatMap { SignInPage.parameter("charset", of: $0) }
    guard SignInPage.isHTML(type), let document = HTMLDocument(parsing: bytes, charset: charset)
    else { return nil }
    return MaskedPage.html(of: document, mask: PageMask([]), for: .viewing)
  }
}
