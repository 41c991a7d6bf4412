/// The texts about modules and classes that their declarations lack: Lua files whose functions have examples as bodies.
enum Texts {
  /// The text file of a module; empty when there is none.
  static func text(of module: String) -> String {
    guard let text = EmbeddedTexts.files["\(module).lua"] else { return "" }
    return String(
      decoding: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount),
      as: UTF8.self)
  }

  /// The default descriptions of arguments and fields, by name.
  static let commonWords = Dictionary(
    uniqueKeysWithValues: PageText(text(of: "common")).top.parameters.map { ($0.name, $0.words) })
}
