/// A password, token or key that does not show itself when printed, dumped or interpolated.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  private let content: String

  /// Hides a text.
  public init(_ content: String) {
    self.content = content
  }

  /// The hidden text; every use of it in the sources is a call of this.
  public func reveal() -> String { content }

  /// Always the same words, whatever is hidden.
  public var description: String { "[secret]" }

  /// Always the same words, whatever is hidden.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Whether both hide the same bytes, compared in constant time.
  public static func == (left: Secret, right: Secret) -> Bool {
    constantTimeEqual(left.content, right.content)
  }
}
