/// The Host headers that a server accepts.
public enum AllowedHosts: Sendable {
  /// The names of this machine's loopback addresses, and these extra names.
  case loopback(extra: [String] = [])

  /// Every name, for a server that other machines can reach; open to DNS rebinding.
  case any
}
