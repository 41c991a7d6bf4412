extension WebURL {
  /// Resolves a reference against this URL (RFC 3986 section 5.2).
  ///
  /// For example a Location header or a form's action. Nil when the result is not an http or https URL.
  public func resolving(_ reference: String) -> WebURL? {
    let bytes = Array(reference.utf8)
    var start = 0
    var end = bytes.count
    while start < end, bytes[start] <= 0x20 { start += 1 }
    while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
    let reference = Reference(bytes[start..<end])

    if let scheme = reference.scheme {
      // "http:g" is an absolute URL without a host, which cannot be fetched.
      guard reference.authority != nil else { return nil }
      return WebURL("\(scheme):\(reference.afterScheme)")
    }
    if reference.authority != nil { return WebURL("\(scheme):\(reference.afterScheme)") }

    let base = "\(scheme)://\(authority)"
    let path: String
    let query: String?
    if reference.path.isEmpty {
      path = self.path
      query = reference.query ?? self.query
    } else {
      let whole =
        reference.path.hasPrefix("/") ? reference.path : directory(of: self.path) + reference.path
      path = removingDotSegments(whole)
      query = reference.query
    }
    var text = base + path
    if let query { text += "?\(query)" }
    if let fragment = reference.fragment { text += "#\(fragment)" }
    return WebURL(text)
  }
}

/// The five parts of a reference (RFC 3986 appendix B), not decoded.
private struct Reference {
  var scheme: String?
  var authority: String?
  var path: String
  var query: String?
  var fragment: String?
  /// Everything after the scheme's colon, or all of it when there is no scheme.
  var afterScheme: String

  init(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    if let colon = rest.firstIndex(where: { [0x3A, 0x2F, 0x3F, 0x23].contains($0) }),
      rest[colon] == 0x3A, Self.isScheme(rest[..<colon])
    {
      scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
      rest = rest[(colon + 1)...]
    }
    afterScheme = String(decoding: rest, as: UTF8.self)
    if let hash = rest.firstIndex(of: 0x23) {
      fragment = String(decoding: rest[(hash + 1)...], as: UTF8.self)
      rest = rest[..<hash]
    }
    if let mark = rest.firstIndex(of: 0x3F) {
      query = String(decoding: rest[(mark + 1)...], as: UTF8.self)
      rest = rest[..<mark]
    }
    if rest.starts(with: [0x2F, 0x2F]) {
      let host = rest.dropFirst(2)
      let slash = host.firstIndex(of: 0x2F) ?? host.endIndex
      authority = String(decoding: host[..<slash], as: UTF8.self)
      rest = host[slash...]
    }
    path = String(decoding: rest, as: UTF8.self)
  }

  private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy {
      isLetter($0) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A
  }
}

/// Returns the path up to and including its last slash (RFC 3986 section 5.2.3).
private func directory(of path: String) -> String {
  guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "/" }
  return String(path[...slash])
}

/// Removes "." and ".." from an absolute path (RFC 3986 section 5.2.4).
private func removingDotSegments(_ path: String) -> String {
  var kept: [Substring] = []
  let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
  for (index, segment) in zip(segments.indices, segments) {
    let isLast = index == segments.endIndex - 1
    switch segment {
    case ".": if isLast { kept.append("") }
    case "..":
      _ = kept.popLast()
      if isLast { kept.append("") }
    default: kept.append(segment)
    }
  }
  return "/" + kept.joined(separator: "/")
}
