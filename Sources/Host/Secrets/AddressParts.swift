import System

/// An absolute or relative URL, split before its parameters.
struct AddressParts {
  /// The part before query and fragment.
  let place: String
  /// Query and fragment, each with its leading mark.
  let parameters: [(mark: String, fields: FormFields)]

  /// Fails for a text without parameters, or with white space, which URLs do not have.
  ///
  /// - Parameter isClean: Whether secrets are replaced by labels, which may contain blanks.
  init?(_ text: String, isClean: Bool = false) {
    let bytes = text.utf8
    // This check alone rejects tokens, which have no parameters.
    guard bytes.count < 1 << 16, Array(bytes).contains(UInt8(ascii: "=")),
      let cut = bytes.firstIndex(where: { $0 == 0x3F || $0 == 0x23 }),
      bytes[cut...].contains(UInt8(ascii: "=")), isClean || !bytes.contains(where: { $0 <= 0x20 })
    else { return nil }
    place = String(text[..<cut])
    let hash = bytes[cut...].firstIndex(of: 0x23) ?? bytes.endIndex
    var parts: [(String, FormFields)] = []
    if cut != hash {
      parts.append(("?", FormFields(parsing: String(text[cut..<hash].dropFirst()))))
    }
    if hash != bytes.endIndex {
      parts.append(("#", FormFields(parsing: String(text[hash...].dropFirst()))))
    }
    parameters = parts
  }
}
