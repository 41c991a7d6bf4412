import IdentityToolkit

/// Lua source as error messages and reports show its lines: without its secrets.
public struct ShownSource: Sendable {
  /// The lines, in order.
  let lines: [String]
  /// The secrets that the source gives.
  public let secrets: [String]

  /// Reads source.
  ///
  /// - Parameter clean: Removes the secrets that are known already from a text.
  public init(_ source: [UInt8], clean: (String) -> String = { $0 }) {
    let found = SourceSecrets(String(decoding: source, as: UTF8.self))
    // By bytes: to Swift, `\r\n` is one character.
    lines = found.masked(clean: clean).utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    secrets = found.values
  }

  /// A text about the source, such as Lua's message about a mistake in it, without those secrets.
  public func clean(_ text: String) -> String {
    let book = SecretBook()
    book.add(secrets)
    return book.clean(text)
  }
}
