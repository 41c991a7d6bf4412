internal import System
internal import HTTP

extension Project {
  /// The page for links in e-mails: the app's own, or the emulator's.
  var actionHandler: String {
    if let chosen = configuration.actionURL, let url = WebURL(chosen), url.fragment == nil {
      return url.description
    }
    return "\(context.origin)/emulator/action"
  }

  /// The API key in e-mailed links: one that the project accepts.
  var apiKeyOfLinks: String {
    guard context.rules[.checkedAPIKeys], let key = configuration.apiKey else {
      return "fake-api-key"
    }
    return key.reveal()
  }

  /// The fixed code of a test phone number; nil for other numbers.
  func testCode(of number: String) -> String? {
    let numbers = configuration.testPhoneNumbers
    // Firebase's emulator converts all keys to camel case, so a number loses its plus sign.
    return (numbers[number] ?? numbers[String(number.dropFirst())])?.string
  }
}
