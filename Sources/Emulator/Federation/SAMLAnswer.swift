internal import Encoding
internal import IdentityToolkit

/// A SAML answer as tests write it: the parts that matter, in JSON.
struct SAMLAnswer {
  /// The name, when it is a text.
  let nameID: String?
  /// The attribute statements, whatever was written there.
  let attributes: JSON?

  init(_ text: String) throws(Refusal) {
    guard let json = ScriptValue.parse(text) else {
      throw Refusal(verbatim: "INVALID_IDP_RESPONSE ((SAMLResponse is not valid JSON.))")
    }
    attributes = json["assertion"]?["attributeStatements"]
    let assertion = try Self.present(json["assertion"], "assertion")
    let subject = try Self.present(assertion["subject"], "assertion.subject")
    let name = try Self.present(subject["nameId"], "assertion.subject.nameId")
    // Whatever JavaScript's text of it lacks an @ does no harm.
    guard name.string != nil || EmailAddress.roughlyNormalized(ScriptValue.text(name)) == nil else {
      throw Refusal(
        verbatim: "INVALID_IDP_RESPONSE ((assertion.subject.nameId must be a string.))")
    }
    nameID = name.string
  }

  private static func present(_ value: JSON?, _ path: String) throws(Refusal) -> JSON {
    if let value, ScriptValue.isTrue(value) { return value }
    throw Refusal(verbatim: "INVALID_IDP_RESPONSE ((Missing \(path) in SAMLResponse.))")
  }
}
