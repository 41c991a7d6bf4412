/// A first-in, first-out queue in two arrays that keep their storage.
public struct Queue<Element> {
  @usableFromInline var front: [Element] = []
  @usableFromInline var position = 0
  @usableFromInline var back: [Element] = []

  /// Creates an empty queue.
  @inlinable public init() {}

  /// Whether the queue has no element.
  @inlinable public var isEmpty: Bool { position == front.count && back.isEmpty }

  /// Adds an element at the end.
  @inlinable public mutating func append(_ element: Element) { back.append(element) }

  /// Adds elements at the end.
  @inlinable public mutating func append(contentsOf elements: [Element]) {
    back.append(contentsOf: elements)
  }

  /// Removes the first element and returns it; nil if there is none.
  @inlinable public mutating func popFirst() -> Element? {
    if position == front.count {
      front.removeAll(keepingCapacity: true)
      position = 0
      guard !back.isEmpty else { return nil }
      swap(&front, &back)
    }
    defer { position += 1 }
    return front[position]
  }
}
