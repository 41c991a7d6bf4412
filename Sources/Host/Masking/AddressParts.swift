public import System

/// An absolute or relative URL, split before its parameters.
public struct AddressParts {
  /// The part before query and fragment.
  public let place: String
  /// Query and fragment, each with its leading mark.
  public let parameters: [(mark: String, fields: FormFields)]

  /// Fails for a text without parameters, or with white space, which URLs do not have.
  public init?(_ text: String) {
    let bytes = text.utf8
    // This check alone rejects tokens, which have no parameters.
    guard bytes.count < 1 << 16, Array(bytes).contains(UInt8(ascii: "=")),
      let cut = bytes.firstIndex(where: { $0 == 0x3F || $0 == 0x23 }),
      bytes[cut...].contains(UInt8(ascii: "=")), !bytes.contains(where: { $0 <= 0x20 })
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
