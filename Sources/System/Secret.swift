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
  public var description: String { "[secret]" }

  /// Always `[secret]`.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Whether both have the same bytes, compared in constant time.
  public static func == (left: Secret, right: Secret) -> Bool {
    constantTimeEqual(left.content, right.content)
  }
}
