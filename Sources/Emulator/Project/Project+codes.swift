internal import Encoding
internal import HTTP

extension Project {
  /// The page that links in e-mails lead to: the app's own, or the emulator's.
  var actionHandler: String {
    if let chosen = configuration.actionURL, let url = WebURL(chosen), url.fragment == nil {
      return url.description
    }
    return "\(site.origin)/emulator/action"
  }

  /// The API key that links in e-mails carry: one that the project takes.
  var apiKeyOfLinks: String {
    guard site.rules[.checkedAPIKeys], let key = configuration.apiKey else { return "fake-api-key" }
    return key.reveal()
  }

  /// The code that always goes to a number meant for tests; nil for every other number.
  func testCode(of number: String) -> String? {
    let numbers = configuration.testPhoneNumbers
    // Where all keys are brought to camel case, as in Firebase's emulator, a number loses its plus.
    return (numbers[number] ?? numbers[String(number.dropFirst())])?.string
  }
}
