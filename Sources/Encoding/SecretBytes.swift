/// Bytes of a key or shared secret that do not show themselves when printed, dumped or interpolated.
public struct SecretBytes: Sendable, Equatable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  private let content: [UInt8]

  /// Hides some bytes.
  public init(_ content: [UInt8]) {
    self.content = content
  }

  /// How many bytes are hidden.
  public var count: Int { content.count }

  /// The hidden bytes; every use of them in the sources is a call of this.
  public func reveal() -> [UInt8] { content }

  /// Always the same words, whatever is hidden.
  public var description: String { "[secret]" }

  /// Always the same words, whatever is hidden.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Whether both hide the same bytes, compared in constant time.
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    constantTimeEqual(left.content, right.content)
  }
}
