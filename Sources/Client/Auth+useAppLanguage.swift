extension Auth {
  /// Sets the language for e-mails and SMS from the environment.
  ///
  /// As in POSIX, the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty counts. If it has no language, as
  /// in `C`, the project chooses.
  public func useAppLanguage(of environment: [String: String]) {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    languageCode = locale.flatMap(Self.languageTag)
  }

  /// The BCP 47 tag of a POSIX locale: `de-AT` for `de_AT.UTF-8@euro`.
  static func languageTag(of locale: String) -> String? {
    let name = locale.prefix { $0 != "." && $0 != "@" }
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count <= 2, let language = parts.first, (2...3).contains(language.utf8.count),
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isLetterOrDigit) })
    else { return nil }
    return parts.joined(separator: "-")
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
