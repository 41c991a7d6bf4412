/// Which Host headers a server answers to.
public enum AllowedHosts: Sendable {
  /// The names of this machine's loopback addresses, and these names besides.
  case loopback(extra: [String] = [])

  /// Every name, for a server that other machines reach; it is then open to DNS rebinding.
  case any
}
