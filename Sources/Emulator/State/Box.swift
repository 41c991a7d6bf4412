/// A value on the heap that copies share: one word where it is kept.
final class Box<Content: Sendable>: Sendable {
  let content: Content

  init(_ content: Content) { self.content = content }
}
