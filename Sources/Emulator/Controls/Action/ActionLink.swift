internal import Encoding

/// The parameters of a link from an e-mail.
struct ActionLink {
  private let fields: FormFields

  init(_ fields: FormFields) { self.fields = fields }

  var hasKey: Bool { one("apiKey") != nil }
  var code: String? { one("oobCode") }
  var mode: String? { one("mode") }
  var tenantID: String? { one("tenantId") }
  var continueURL: String? { one("continueUrl") }
  var newPassword: String? { one("newPassword") }

  /// All that the app behind a sign-in link is given: what is there once.
  var parameters: [FormFields.Pair] {
    fields.pairs.filter { pair in pair.name != "continueUrl" && fields.all(pair.name).count == 1 }
  }

  /// A parameter's value; an empty one counts as absent.
  private func one(_ name: String) -> String? {
    guard let value = fields[name], !value.isEmpty else { return nil }
    return value
  }
}
