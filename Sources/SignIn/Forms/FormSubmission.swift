internal import HTTP
internal import CXML

/// The request that a form sends.
struct FormSubmission: Sendable {
  var method: String
  var url: WebURL
  var fields: [(String, String)]
  var contentType: String?
  var body: [UInt8]

  /// Builds the request that a browser sends when `submitter` is pressed.
  ///
  /// See HTML, "constructing the entry list" and the form submission algorithm.
  init?(_ form: PageForm, submitter: FormControl?, on page: SignInPage) {
    guard let url = form.destination(submitter: submitter, page: page.url, base: page.base) else {
      return nil
    }
    let charset = form.charset ?? page.charset
    fields = Self.entries(of: form, submitter: submitter, charset: charset)
    switch form.method(submitter: submitter) {
    case .dialog: return nil
    case .get:
      method = "GET"
      self.url = url.with(query: Self.urlEncoded(fields, charset))
      body = []
    case .post:
      method = "POST"
      self.url = url
      switch form.encoding(submitter: submitter) {
      case .urlEncoded:
        contentType = "application/x-www-form-urlencoded"
        body = Array(Self.urlEncoded(fields, charset).utf8)
      case .multipart:
        let boundary = "luath" + String(UInt64.random(in: .min ... .max), radix: 36)
        contentType = "multipart/form-data; boundary=\(boundary)"
        body = Self.multipart(fields, boundary: boundary, charset)
      case .plainText:
        contentType = "text/plain"
        body = charset.bytes(fields.map { "\($0.0)=\($0.1)\r\n" }.joined())
      }
    }
  }

  static func entries(
    of form: PageForm, submitter: FormControl?, charset: SubmissionCharset = .utf8
  ) -> [(String, String)] {
    var entries: [(String, String)] = []
    func add(_ name: String, _ value: String) {
      entries.append((withNetworkNewlines(name), withNetworkNewlines(value)))
    }
    for control in form.controls where !control.isDisabled {
      switch control.kind {
      case .button: continue
      case .submit, .image:
        guard let submitter, control.position == submitter.position else { continue }
        if control.kind == .image {
          // The click coordinates in the image; we did not click, so its corner.
          let prefix = control.name.isEmpty ? "" : control.name + "."
          add(prefix + "x", "0")
          add(prefix + "y", "0")
        } else if !control.name.isEmpty {
          add(control.name, control.value)
        }
      case .checkbox, .radio:
        if control.isChecked, !control.name.isEmpty { add(control.name, control.value) }
      case .select:
        guard !control.name.isEmpty else { continue }
        for option in control.options where option.isSelected && !option.isDisabled {
          add(control.name, option.value)
        }
      case .hidden:
        guard !control.name.isEmpty else { continue }
        add(control.name, control.name == "_charset_" ? charset.name : control.value)
      case .text, .password, .textarea:
        if !control.name.isEmpty { add(control.name, control.value) }
      case .file:
        // No file is chosen, whatever the page says.
        if !control.name.isEmpty { add(control.name, "") }
      }
    }
    return entries
  }

  private static func withNetworkNewlines(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return text }
    var bytes: [UInt8] = []
    var previous: UInt8 = 0
    for byte in text.utf8 {
      switch byte {
      case 0x0D: bytes += [0x0D, 0x0A]
      case 0x0A: if previous != 0x0D { bytes += [0x0D, 0x0A] }
      default: bytes.append(byte)
      }
      previous = byte
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Encodes as `application/x-www-form-urlencoded` (URL standard, "percent-encode set").
  private static func urlEncoded(
    _ fields: [(String, String)], _ charset: SubmissionCharset
  ) -> String {
    fields.map { "\(percentEncoded($0.0, charset))=\(percentEncoded($0.1, charset))" }
      .joined(separator: "&")
  }

  private static func percentEncoded(_ text: String, _ charset: SubmissionCharset) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in charset.bytes(text) {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F: result.append(byte)
      case 0x20: result.append(0x2B)
      default: result += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func multipart(
    _ fields: [(String, String)], boundary: String, _ charset: SubmissionCharset
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    for (name, value) in fields {
      let escaped = name.flatMap { character -> String in
        switch character {
        case "\"": "%22"
        case "\r\n": "%0D%0A"
        default: String(character)
        }
      }
      bytes += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"".utf8)
      bytes += charset.bytes(String(escaped)) + Array("\"\r\n\r\n".utf8)
      bytes += charset.bytes(value) + Array("\r\n".utf8)
    }
    return bytes + Array("--\(boundary)--\r\n".utf8)
  }
}

/// The charset of a form submission: that of its page (HTML, "pick an encoding for the form").
struct SubmissionCharset: Sendable {
  /// The charset's name, as sent in `_charset_` fields.
  let name: String

  static let utf8 = SubmissionCharset("UTF-8")

  init(_ name: String?) {
    let name = name.map { PageForm.trimmed($0).lowercased() } ?? "utf-8"
    switch name {
    case "iso-8859-1", "latin1", "us-ascii", "ascii", "cp1252", "windows-1252":
      // The Encoding standard maps all of these names to windows-1252.
      self.name = "windows-1252"
    case "", "utf8", "utf-8", "utf-16", "utf-16le", "utf-16be", "iso-2022-jp":
      // UTF-16 cannot be submitted; ISO-2022-JP is stateful, which encoding character by character breaks.
      self.name = "UTF-8"
    default:
      let isSound = name.utf8.count <= 40 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      self.name = isSound ? name : "UTF-8"
    }
  }

  /// Encodes a text; characters outside the charset become character references.
  func bytes(_ text: String) -> [UInt8] {
    guard name != "UTF-8", !text.utf8.allSatisfy({ $0 < 0x80 }),
      let handler = xmlFindCharEncodingHandler(name)
    else { return Array(text.utf8) }
    defer { xmlCharEncCloseFunc(handler) }
    return text.unicodeScalars.flatMap { scalar -> [UInt8] in
      if scalar.isASCII { return [UInt8(scalar.value)] }
      return Self.encoded(scalar, handler) ?? Array("&#\(scalar.value);".utf8)
    }
  }

  private static func encoded(
    _ scalar: Unicode.Scalar, _ handler: xmlCharEncodingHandlerPtr
  ) -> [UInt8]? {
    guard let input = xmlBufferCreate(), let output = xmlBufferCreate() else { return nil }
    defer {
      xmlBufferFree(input)
      xmlBufferFree(output)
    }
    let text = Array(String(scalar).utf8)
    guard xmlBufferAdd(input, text, Int32(text.count)) == 0,
      xmlCharEncOutFunc(handler, output, input) > 0, xmlBufferLength(input) == 0,
      let content = xmlBufferContent(output)
    else { return nil }
    let bytes = Array(UnsafeBufferPointer(start: content, count: Int(xmlBufferLength(output))))
    // libxml2 writes its own reference for what it cannot encode.
    return bytes.starts(with: Array("&#".utf8)) ? nil : bytes
  }
}
