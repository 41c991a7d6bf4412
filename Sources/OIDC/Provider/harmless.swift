import System

/// Cleans a server's message: one short line, without control characters, our secrets and tokens.
func harmless(_ text: String, without secrets: [Secret]) -> String {
  let masked = maskingTokens(masking(secrets, in: Array(text.utf8)))
  let scalars = String(decoding: masked, as: UTF8.self).unicodeScalars.prefix(240)
  var line = String.UnicodeScalarView()
  for scalar in scalars {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: line.append(" ")
    default: line.append(scalar)
    }
  }
  return String(line)
}

/// Returns an error name if it can be shown: a plain word that is not a secret or token.
func errorName(_ text: String, without secrets: [Secret]) -> String? {
  guard isErrorName(text), harmless(text, without: secrets) == text else { return nil }
  return text
}

/// Whether a text has the form of an error name.
///
/// RFC 6749 section 5.2 allows more characters; real names are words like `invalid_grant`.
func isErrorName(_ text: String) -> Bool {
  (1...64).contains(text.utf8.count)
    && text.utf8.allSatisfy { isDigit($0) || isLetter($0) || [0x2D, 0x2E, 0x5F].contains($0) }
}

private let mask = Array("[secret]".utf8)

/// Masks the secrets, as they are and percent-encoded in both ways.
private func masking(_ secrets: [Secret], in text: [UInt8]) -> [UInt8] {
  var known: [[UInt8]] = []
  // Shorter secrets could be any word, and masking them would only reveal where they were.
  for secret in secrets where secret.reveal().utf8.count >= 4 {
    let encoded = PercentEncoding.encode(secret.reveal())
    let form = encoded.split(separator: "%20", omittingEmptySubsequences: false)
      .joined(separator: "+")
    known += [secret.reveal(), encoded, form].map { Array($0.utf8) }
  }
  // Longest first, because a secret may contain another one.
  known.sort { $0.count > $1.count }
  var result: [UInt8] = []
  var rest = text[...]
  while let first = rest.first {
    if let secret = known.first(where: { $0.first == first && rest.starts(with: $0) }) {
      result += mask
      rest = rest.dropFirst(secret.count)
    } else {
      result.append(first)
      rest = rest.dropFirst()
    }
  }
  return result
}

/// Masks what looks like a token: a JWT, or a long run of Base64 with a digit.
private func maskingTokens(_ text: [UInt8]) -> [UInt8] {
  var result: [UInt8] = []
  var rest = text[...]
  while !rest.isEmpty {
    let run = rest.prefix { isTokenByte($0) }
    if run.isEmpty {
      result.append(rest.removeFirst())
      continue
    }
    let head = Array("eyJ".utf8)
    let start = run.indices.first { run[$0...].starts(with: head) }
    if let start, run.endIndex - start > 20 {
      result += run[..<start] + mask
    } else {
      let words = run.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      result += words.map { isOpaqueToken($0) ? mask : Array($0) }
        .joined(separator: [UInt8(ascii: ".")])
    }
    rest = rest[run.endIndex...]
  }
  return result
}

/// Whether a part of the word looks random by length and characters.
///
/// A Base64 token may contain slashes anywhere, so each part is checked.
private func isOpaqueToken(_ word: ArraySlice<UInt8>) -> Bool {
  word.split(separator: UInt8(ascii: "/")).contains { part in
    part.count >= 24 && part.contains(where: isDigit) && part.contains(where: isLetter)
      && !isIdentifier(part)
  }
}

/// Whether this is a GUID, which Microsoft uses for tenants, apps and traces.
private func isIdentifier(_ word: ArraySlice<UInt8>) -> Bool {
  word.count == 36
    && word.split(separator: 0x2D, omittingEmptySubsequences: false).map(\.count)
      == [8, 4, 4, 4, 12]
    && word.allSatisfy { isDigit($0) || $0 == 0x2D || (0x61...0x66).contains($0 | 0x20) }
}

private func isTokenByte(_ byte: UInt8) -> Bool {
  isDigit(byte) || isLetter(byte) || "+-./=_~".utf8.contains(byte)
}

private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

private func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
