import IdentityToolkit

/// Lua source without its secrets, for error messages and reports.
public struct ShownSource: Sendable {
  let lines: [String]
  /// The secrets in the source.
  public let secrets: [String]

  /// Finds and masks the secrets in source.
  ///
  /// - Parameter clean: Removes known secrets from a text.
  public init(_ source: [UInt8], clean: (String) -> String = { $0 }) {
    let found = SourceSecrets(String(decoding: source, as: UTF8.self))
    // Split by bytes, as `\r\n` is one character to Swift.
    lines = found.masked(clean: clean).utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    secrets = found.values
  }

  /// A text about the source, such as a syntax error of Lua, without its secrets.
  func clean(_ text: String) -> String {
    let masker = SecretMasker()
    masker.add(secrets)
    return masker.clean(text)
  }
}
