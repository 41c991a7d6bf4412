/// A value on the heap that copies share; storing it takes one word.
final class Box<Content: Sendable>: Sendable {
  let content: Content

  init(_ content: Content) { self.content = content }
}
