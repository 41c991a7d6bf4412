internal import Encoding
internal import HTTP

/// A form as it goes over the wire.
struct FormSubmission: Sendable {
  var method: String
  var url: WebURL
  var fields: [(String, String)]
  var contentType: String?
  var body: [UInt8]

  /// The entry list and request a browser makes of `form` when `submitter` is pressed
  /// (HTML, "constructing the entry list" and the form submission algorithm).
  init?(_ form: PageForm, submitter: FormControl?, on page: SignInPage) {
    guard let url = form.destination(submitter: submitter, page: page.url, base: page.base) else {
      return nil
    }
    fields = Self.entries(of: form, submitter: submitter)
    switch form.method(submitter: submitter) {
    case .dialog: return nil
    case .get:
      method = "GET"
      self.url = url.with(query: FormFields(fields).encoded)
      body = []
    case .post:
      method = "POST"
      self.url = url
      switch form.encoding(submitter: submitter) {
      case .urlEncoded:
        contentType = "application/x-www-form-urlencoded"
        body = Array(FormFields(fields).encoded.utf8)
      case .multipart:
        let boundary = "luath" + String(UInt64.random(in: .min ... .max), radix: 36)
        contentType = "multipart/form-data; boundary=\(boundary)"
        body = Self.multipart(fields, boundary: boundary)
      case .plainText:
        contentType = "text/plain"
        body = Array(fields.map { "\($0.0)=\($0.1)\r\n" }.joined().utf8)
      }
    }
  }

  static func entries(of form: PageForm, submitter: FormControl?) -> [(String, String)] {
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
          // Where in the picture was clicked; nobody did, so its corner.
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
        add(control.name, control.name == "_charset_" ? "UTF-8" : control.value)
      case .text, .password, .textarea, .file:
        if !control.name.isEmpty { add(control.name, control.value) }
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

  private static func multipart(_ fields: [(String, String)], boundary: String) -> [UInt8] {
    var text = ""
    for (name, value) in fields {
      let escaped = name.flatMap { character -> String in
        switch character {
        case "\"": "%22"
        case "\r\n": "%0D%0A"
        default: String(character)
        }
      }
      text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(String(escaped))\"\r\n\r\n"
      text += "\(value)\r\n"
    }
    return Array((text + "--\(boundary)--\r\n").utf8)
  }
}
