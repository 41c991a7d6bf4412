/// A password, token or key that is not revealed when printed, dumped or interpolated.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  private let content: String

  /// Wraps a secret.
  public init(_ content: String) {
    self.content = content
  }

  /// Returns the secret.
  ///
  /// Search for calls of this to find every use.
  public func reveal() -> String { content }

  /// Always `[secret]`.
  public var description: String { Redaction.mask }

  /// Always `[secret]`.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Whether both have the same bytes, compared in constant time.
  public static func == (left: Secret, right: Secret) -> Bool {
    constantTimeEqual(left.content, right.content)
  }
}

/// A key or shared secret that is not revealed when printed, dumped or interpolated.
public struct SecretBytes: Sendable, Equatable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  private let content: [UInt8]

  /// Wraps secret bytes.
  public init(_ content: [UInt8]) {
    self.content = content
  }

  /// The number of bytes.
  public var count: Int { content.count }

  /// Returns the bytes.
  ///
  /// Search for calls of this to find every use.
  public func reveal() -> [UInt8] { content }

  /// Always `[secret]`.
  public var description: String { Redaction.mask }

  /// Always `[secret]`.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Whether both have the same bytes, compared in constant time.
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    constantTimeEqual(left.content, right.content)
  }
}

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
