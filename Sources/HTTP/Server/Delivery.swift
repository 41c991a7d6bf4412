/// How much of an answer reaches the client; anything but the whole imitates a broken network.
public enum Delivery: Sendable, Equatable {
  /// All of it.
  case whole

  /// The headers, which promise the whole body, and this many bytes of it; then the connection closes.
  case cutAfter(bytes: Int)

  /// Nothing: the connection closes without an answer.
  case drop
}
