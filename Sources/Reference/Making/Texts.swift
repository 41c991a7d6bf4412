/// What is written about modules and classes beside their declarations: files of Lua whose
/// functions have examples for bodies.
enum Texts {
  /// The file of a module; empty when there is none.
  static func text(of module: String) -> String {
    guard let text = EmbeddedTexts.files["\(module).lua"] else { return "" }
    return String(
      decoding: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount),
      as: UTF8.self)
  }

  /// What arguments and fields mean where nothing else is said, by name.
  static let commonWords = Dictionary(
    uniqueKeysWithValues: PageText(text(of: "common")).top.parameters.map { ($0.name, $0.words) })
}
