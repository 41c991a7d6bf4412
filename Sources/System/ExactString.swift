import Glibc

/// A string that is equal only to one with the same UTF-8 bytes.
///
/// `String` treats canonically equivalent Unicode strings as equal, so that as a dictionary key one
/// user's identifier could stand for another's.
public struct ExactString: Hashable, Sendable {
  /// The text itself.
  public let string: String

  /// Wraps a string.
  public init(_ string: String) {
    self.string = string
  }

  /// Wraps a string.
  public init(string: String) {
    self.string = string
  }

  /// Whether both have the same bytes.
  public static func == (left: ExactString, right: ExactString) -> Bool {
    sameBytes(left.string, right.string)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    let bytes = string.utf8
    let isDone: Void? = bytes.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isDone == nil {
      for byte in bytes { hasher.combine(byte) }
    }
    // This byte never occurs in UTF-8, so "a" before "bc" hashes differently from "ab" before "c".
    hasher.combine(0xFF as UInt8)
  }
}

/// Whether two strings have the same UTF-8 bytes; stops at the first difference.
func sameBytes(_ left: String, _ right: String) -> Bool {
  // Equal texts of at most 15 bytes have the same representation.
  if left._isIdentical(to: right) { return true }
  let left = left.utf8
  let right = right.utf8
  guard left.count == right.count else { return false }
  let answer = left.withContiguousStorageIfAvailable { a in
    right.withContiguousStorageIfAvailable { b in
      guard let left = a.baseAddress, let right = b.baseAddress else { return true }
      return memcmp(left, right, a.count) == 0
    }
  }
  return (answer ?? nil) ?? left.elementsEqual(right)
}

extension String {
  /// The text with A to Z in lower case and every other character untouched.
  public var asciiLowercased: String {
    guard utf8.contains(where: (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains) else {
      return self
    }
    return String(
      decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 },
      as: UTF8.self)
  }
}
