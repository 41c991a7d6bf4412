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

  /// The query parameters passed on to the app behind a sign-in link: those that occur exactly once.
  var parameters: [FormFields.Pair] {
    fields.pairs.filter { pair in pair.name != "continueUrl" && fields.all(pair.name).count == 1 }
  }

  /// A parameter's value; an empty one counts as absent.
  ///
  /// A repeated parameter is a list for Firebase's emulator, so it never equals a valid value. The joined text does
  /// the same.
  private func one(_ name: String) -> String? {
    let values = fields.all(name)
    guard values.count < 2 else { return values.joined(separator: ",") }
    return values.first.flatMap { $0.isEmpty ? nil : $0 }
  }
}
