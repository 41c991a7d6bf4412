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
  /// From `accept-charset`; otherwise the page's counts.
  var charset: SubmissionCharset?
  var controls: [FormControl] = []

  var submitters: [FormControl] { controls.filter { $0.isSubmitter && !$0.isDisabled } }

  /// Whether the form goes anywhere: one of a dialog only closes it.
  var isSent: Bool {
    method != .dialog
      || submitters.contains { $0.formMethod.map(Self.method) ?? .dialog != .dialog }
  }

  /// Whether a person has nothing to do here but press a button, or not even that.
  var isOnlyHidden: Bool {
    controls.allSatisfy { $0.kind == .hidden || $0.isSubmitter || $0.kind == .button }
  }

  /// Checks one radio button, which unchecks the others of its group.
  mutating func checkRadio(at slot: Int) {
    for other in controls.indices
    where controls[other].kind == .radio && controls[other].name == controls[slot].name {
      controls[other].isChecked = other == slot
    }
  }

  /// Where the form goes when sent by `submitter`.
  ///
  /// An absent or empty action means the page itself, even when a `<base>` says otherwise
  /// (HTML, form submission algorithm, steps 12 to 14).
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
