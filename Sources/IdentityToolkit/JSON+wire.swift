public import System

extension JSON {
  /// A whole number, sent as a number or as text like all 64-bit fields.
  public var wholeNumber: Int64? {
    if let integer { return integer }
    guard let string else { return nil }
    return Int64(string)
  }
}
