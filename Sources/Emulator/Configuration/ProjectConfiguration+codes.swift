internal import System
internal import HTTP

extension ProjectConfiguration {
  /// Reads `actionUrl`, the page for links in e-mails.
  mutating func readActionURL(_ reader: ConfigurationReader) throws(ConfigurationError) {
    guard let text = try reader.string("actionUrl") else { return }
    guard let url = WebURL(text), url.fragment == nil else {
      throw ConfigurationError(
        path: reader.path + ["actionUrl"], message: "not the address of a page: \"\(text)\"",
        hint: "write an http or https URL without a fragment")
    }
    settings.change("notification") { notification in
      notification.change("sendEmail") { $0["callbackUri"] = .string(url.description) }
    }
  }

  /// Reads `testPhoneNumbers`, a table of phone numbers and their codes.
  mutating func readTestNumbers(_ reader: ConfigurationReader) throws(ConfigurationError) {
    guard let value = reader.value("testPhoneNumbers") else { return }
    let table = try ConfigurationReader(
      value, at: reader.path + ["testPhoneNumbers"],
      known: value.object.map { Array($0.keys) } ?? [])
    for number in table.object.keys {
      let code = try table.requiredString(number)
      guard number.utf8.first == UInt8(ascii: "+"), number.utf8.count > 1,
        number.utf8.dropFirst().allSatisfy(Self.isDigit)
      else {
        throw ConfigurationError(
          path: table.path + [number], message: "not a phone number",
          hint: "write it with its country code, such as +15555550100")
      }
      guard code.utf8.count == 6, code.utf8.allSatisfy(Self.isDigit) else {
        throw ConfigurationError(
          path: table.path + [number], message: "a code must have six digits")
      }
    }
    settings.change("signIn") { signIn in
      signIn.change("phoneNumber") { $0["testPhoneNumbers"] = .object(table.object) }
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
