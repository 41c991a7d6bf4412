import Encoding

/// A server's words in one short line, without control characters and without our secrets.
func harmless(_ text: String, without secrets: [Secret]) -> String {
  var bytes = Array(text.utf8)
  for secret in secrets {
    let hidden = Array(secret.reveal().utf8)
    guard !hidden.isEmpty else { continue }
    var index = 0
    while index + hidden.count <= bytes.count {
      if bytes[index..<(index + hidden.count)].elementsEqual(hidden) {
        let mask = Array(secret.description.utf8)
        bytes.replaceSubrange(index..<(index + hidden.count), with: mask)
        index += mask.count
      } else {
        index += 1
      }
    }
  }
  let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.prefix(240)
  var line = String.UnicodeScalarView()
  for scalar in scalars {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: line.append(" ")
    default: line.append(scalar)
    }
  }
  return String(line)
}
