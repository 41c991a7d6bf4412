internal import HTTP

/// A form of a page with its controls in document order.
struct PageForm: Sendable {
  enum Method: Sendable, Equatable { case get, post, dialog }

  enum Encoding: Sendable, Equatable { case urlEncoded, multipart, plainText }

  var name: String
  var identifier: String
  var role: String
  var action: String?
  var method: Method
  var encoding: Encoding
  /// From `accept-charset`; nil for the page's charset.
  var charset: SubmissionCharset?
  var controls: [FormControl] = []

  var submitters: [FormControl] { controls.filter { $0.isSubmitter && !$0.isDisabled } }

  /// Whether the form sends a request; a dialog form only closes its dialog.
  var isSent: Bool {
    method != .dialog
      || submitters.contains { $0.formMethod.map(Self.method) ?? .dialog != .dialog }
  }

  /// Whether there is nothing to enter, at most a button to press.
  var isOnlyHidden: Bool {
    controls.allSatisfy { $0.kind == .hidden || $0.isSubmitter || $0.kind == .button }
  }

  /// Checks one radio button and unchecks the others of its group.
  mutating func checkRadio(at slot: Int) {
    for other in controls.indices
    where controls[other].kind == .radio && controls[other].name == controls[slot].name {
      controls[other].isChecked = other == slot
    }
  }

  /// Returns where the form is sent by `submitter`.
  ///
  /// A missing or empty action means the page itself, even with a `<base>` (HTML, form submission
  /// algorithm, steps 12 to 14).
  func destination(submitter: FormControl?, page: WebURL, base: WebURL) -> WebURL? {
    let reference = Self.trimmed(submitter?.formAction ?? action ?? "")
    return reference.isEmpty ? page.with(fragment: nil) : base.resolving(reference)
  }

  func method(submitter: FormControl?) -> Method {
    submitter?.formMethod.map { Self.method($0) } ?? method
  }

  func encoding(submitter: FormControl?) -> Encoding {
    submitter?.formEncoding.map { Self.encoding($0) } ?? encoding
  }

  static func method(_ attribute: String?) -> Method {
    switch attribute.map({ trimmed($0).lowercased() }) {
    case "post": .post
    case "dialog": .dialog
    default: .get
    }
  }

  static func encoding(_ attribute: String?) -> Encoding {
    switch attribute.map({ trimmed($0).lowercased() }) {
    case "multipart/form-data": .multipart
    case "text/plain": .plainText
    default: .urlEncoded
    }
  }

  static func trimmed(_ text: String) -> String {
    let isSpace: (Character) -> Bool = { $0.isWhitespace }
    var part = text[...]
    while let first = part.first, isSpace(first) { part.removeFirst() }
    while let last = part.last, isSpace(last) { part.removeLast() }
    return String(part)
  }
}
