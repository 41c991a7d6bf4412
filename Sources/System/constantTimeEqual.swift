/// Whether two byte strings are equal, in a time that depends on their lengths only.
@inlinable public func constantTimeEqual(
  _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
) -> Bool {
  let count = left.count
  guard count == right.count else { return false }
  guard let left = left.baseAddress, let right = right.baseAddress else { return true }
  // Eight bytes at a time; more would only cost time, because most secrets are short.
  var offset = 0
  var difference: UInt64 = 0
  while count - offset >= 8 {
    difference |=
      left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      ^ right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    offset += 8
  }
  while offset < count {
    difference |= UInt64(
      left.load(fromByteOffset: offset, as: UInt8.self)
        ^ right.load(fromByteOffset: offset, as: UInt8.self))
    offset += 1
  }
  return difference == 0
}

/// Whether two byte strings are equal, in a time that depends on their lengths only.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.withUnsafeBytes { left in right.withUnsafeBytes { constantTimeEqual(left, $0) } }
}

/// Whether two texts have the same UTF-8 bytes, in a time that depends on their lengths only.
public func constantTimeEqual(_ left: String, _ right: String) -> Bool {
  constantTimeEqual(Array(left.utf8), Array(right.utf8))
}
