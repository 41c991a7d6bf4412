/// Whether two byte strings are equal, in a time that depends on their lengths only.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  guard left.count == right.count else { return false }
  var difference: UInt8 = 0
  for index in left.indices { difference |= left[index] ^ right[index] }
  return difference == 0
}

/// Whether two texts hold the same UTF-8 bytes, in a time that depends on their lengths only.
public func constantTimeEqual(_ left: String, _ right: String) -> Bool {
  constantTimeEqual(Array(left.utf8), Array(right.utf8))
}
