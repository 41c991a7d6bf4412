internal import System

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
  /// Firebase's emulator reads a repeated parameter as a list, which never equals a valid value. Joining the values
  /// has the same effect.
  private func one(_ name: String) -> String? {
    let values = fields.all(name)
    guard values.count < 2 else { return values.joined(separator: ",") }
    return values.first.flatMap { $0.isEmpty ? nil : $0 }
  }
}
