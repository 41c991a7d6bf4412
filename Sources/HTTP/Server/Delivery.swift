/// How much of a response is sent; less than all simulates a broken network.
public enum Delivery: Sendable, Equatable {
  case whole

  /// The headers, which announce the whole body, and this many bytes of it; then the connection closes.
  case cutAfter(bytes: Int)

  /// Nothing: the connection closes without a response.
  case drop
}
