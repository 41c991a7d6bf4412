import Delegates
import HTTP

/// How scripts of a run get at browsers, and what is kept of the pages they see.
enum BrowserOption {
  static let options = [
    Option("pages", "FOLDER", "keep the pages of sign-ins there, without secrets"),
    Option(
      "webdriver", "URL", "drive browsers by this WebDriver instead of a chromedriver of our own"),
    Option("headed", nil, "show the windows of browsers that scripts drive"),
  ]

  /// The browser of a script that names none.
  static func browser(_ arguments: ParsedArguments) throws(UsageError) -> BrowserOptions {
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

  /// What keeps the pages; nil when nothing is to be kept.
  static func pages(
    _ arguments: ParsedArguments, _ console: Console
  ) throws(UsageError) -> SignInTrace? {
    guard let folder = arguments.values["pages"] else { return nil }
    if folder.isEmpty { throw UsageError("--pages wants the folder to keep pages in") }
    return SignInTrace(folder: console.whole(folder)) { console.warn($0, hint: $1) }
  }
}
