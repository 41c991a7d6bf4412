extension Stdlib {
  /// The functions of the Lua library that have a parameter marked by `---@secret NAME`.
  static var secretParameters: [(String, SecretParameters.Function)] {
    EmbeddedStdlib.files.values.flatMap { text in
      let bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
      return secretParameters(in: String(decoding: bytes, as: UTF8.self))
    }
  }

  private static func secretParameters(
    in text: String
  ) -> [(String, SecretParameters.Function)] {
    guard text.contains("---@secret ") else { return [] }
    var found: [(String, SecretParameters.Function)] = []
    var secrets: Set<String> = []
    for line in text.split(separator: "\n") {
      if let tag = line.wholeMatch(of: /---@secret (\w+)/) {
        secrets.insert(String(tag.output.1))
      } else if !line.hasPrefix("--") {
        if !secrets.isEmpty,
          let head = line.firstMatch(of: /^function (?:(\w+)([.:]))?(\w+)\(([^)]*)\)/)
        {
          let names = head.output.4.split { $0 == "," || $0 == " " }.map(String.init)
          let function = SecretParameters.Function(
            // The prompt's `own.reveal` is a global for its users.
            owner: head.output.1 == "own" ? "" : String(head.output.1 ?? ""),
            isMethod: head.output.2 == ":",
            places: names.map { SecretPlace(isSecret: secrets.contains($0)) })
          found.append((String(head.output.3), function))
        }
        secrets = []
      }
    }
    return found
  }
}
