import Glibc

/// The Lua library: embedded in the binary, or read from the folder `LUATH_STDLIB`.
public enum Stdlib {
  /// The source of an embedded module; nil when there is none.
  public static func text(of module: String) -> String? {
    source(of: module, [:]).map { String(decoding: $0.0, as: UTF8.self) }
  }

  /// The source of a module and the chunk name for its errors.
  static func source(of module: String, _ environment: [String: String]) -> ([UInt8], String)? {
    // Without slashes and `..`, a name cannot leave the folder.
    guard module.utf8.allSatisfy({ $0 != UInt8(ascii: "/") }), !module.contains("..") else {
      return nil
    }
    let path = String(module.map { $0 == "." ? "/" : $0 })
    for file in ["\(path).lua", "\(path)/init.lua"] {
      if let folder = environment["LUATH_STDLIB"], let text = readFile("\(folder)/\(file)") {
        return (text, "@\(folder)/\(file)")
      }
      if let text = embedded(file) {
        let bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return (Array(bytes), "=luath/\(file)")
      }
    }
    return nil
  }

  /// A file that the binary carries: luath's own, or one of Debian's luassert and say.
  private static func embedded(_ file: String) -> StaticString? {
    let debian = [
      "luath/debian/luassert/": EmbeddedLuassert.files, "luath/debian/say/": EmbeddedSay.files,
    ]
    for (folder, files) in debian where file.hasPrefix(folder) {
      return files[String(file.dropFirst(folder.count))]
    }
    return EmbeddedStdlib.files[file]
  }

  private static func readFile(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      text += buffer[..<count]
    }
    return ferror(file) == 0 ? text : nil
  }
}
