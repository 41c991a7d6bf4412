public import SignIn
import HTTP

/// The options for browsers, and for keeping pages of sign-ins.
public enum BrowserOption {
  public static let options = [
    Option("pages", "FOLDER", "keep the pages of sign-ins there, without secrets"),
    Option(
      "webdriver", "URL", "drive browsers by this WebDriver instead of a chromedriver of our own"),
    Option("headed", nil, "show the windows of browsers that scripts drive"),
  ]

  /// The default browser options of scripts.
  public static func browser(_ arguments: ParsedArguments) throws(UsageError) -> BrowserOptions {
    var options = BrowserOptions()
    options.isHeadless = !arguments.flags.contains("headed")
    if let address = arguments.values["webdriver"] {
      guard let url = WebURL(address) else {
        throw UsageError("--webdriver wants an address, such as http://127.0.0.1:9515")
      }
      options.driverURL = url
    }
    return options
  }

  /// The recorder of sign-in pages; nil without `--pages`.
  public static func pages(
    _ arguments: ParsedArguments, _ console: Console
  ) throws(UsageError) -> SignInTrace? {
    guard let folder = arguments.values["pages"] else { return nil }
    if folder.isEmpty { throw UsageError("--pages wants the folder to keep pages in") }
    return SignInTrace(folder: console.whole(folder)) { console.warn($0, hint: $1) }
  }
}
