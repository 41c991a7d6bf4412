public import Encoding

extension JSON {
  /// A whole number that the wire may spell as a number or as text, as its 64-bit fields are.
  public var wholeNumber: Int64? {
    if let integer { return integer }
    guard let string else { return nil }
    return Int64(string)
  }
}
