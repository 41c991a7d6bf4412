/// The texts of the provider pages in one language.
struct Wording: Sendable {
  /// English, and the languages of the guides for these providers.
  enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case french = "fr"
    case italian = "it"
    case japanese = "ja"
    case russian = "ru"
    case vietnamese = "vi"
  }

  let language: Language

  /// The phrase with its placeholders, such as `{name}`, replaced.
  func callAsFunction(_ phrase: Phrase, _ values: KeyValuePairs<String, String> = [:]) -> String {
    let table = Self.table(language)
    var text = ""
    var rest = (table[phrase] ?? Self.english[phrase] ?? "")[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      let name = rest[rest.index(after: open)..<close]
      text += rest[..<open]
      text += values.first { $0.key == name }?.value ?? ""
      rest = rest[rest.index(after: close)...]
    }
    return text + rest
  }

  static func table(_ language: Language) -> [Phrase: String] {
    switch language {
    case .english: english
    case .french: french
    case .italian: italian
    case .japanese: japanese
    case .russian: russian
    case .vietnamese: vietnamese
    }
  }

  /// The first supported language of `tags`; `fr-CA fr en` and `fr-CA;q=0.9, en` both work.
  static func preferred(_ tags: String?) -> Language? {
    guard let tags else { return nil }
    for tag in tags.split(whereSeparator: { $0 == " " || $0 == "," }) {
      let base = tag.prefix { $0 != "-" && $0 != "_" && $0 != ";" }.lowercased()
      if let language = Language(rawValue: base) { return language }
    }
    return nil
  }
}
