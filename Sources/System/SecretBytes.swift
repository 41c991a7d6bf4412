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
  public var description: String { "[secret]" }

  /// Always `[secret]`.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Whether both have the same bytes, compared in constant time.
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    constantTimeEqual(left.content, right.content)
  }
}
