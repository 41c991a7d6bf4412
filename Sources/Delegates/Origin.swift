internal import HTTP

/// Which servers may be told a password.
enum Origin {
  /// Whether two hosts belong to one site: the same host, or under the same registrable domain.
  ///
  /// There is no list of public suffixes here, so a short second label under a country
  /// (`co.uk`, `com.au`) counts as part of the suffix. Erring, it errs towards "another site".
  static func isSameSite(_ one: WebURL, _ other: WebURL) -> Bool {
    guard one.scheme == other.scheme else { return false }
    let first = one.host.lowercased()
    let second = other.host.lowercased()
    if first == second { return true }
    guard let site = site(of: first), let neighbour = Self.site(of: second) else { return false }
    return site == neighbour
  }

  private static func site(of host: String) -> String? {
    let labels = host.split(separator: ".")
    guard labels.count >= 2, !host.contains(":"), labels.last?.first?.isNumber == false else {
      return nil
    }
    let isDoubleSuffix = labels[labels.count - 1].count == 2 && labels[labels.count - 2].count <= 3
    let needed = isDoubleSuffix ? 3 : 2
    return labels.count < needed ? nil : labels.suffix(needed).joined(separator: ".")
  }
}
