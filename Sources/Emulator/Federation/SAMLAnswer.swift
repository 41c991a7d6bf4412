internal import System
internal import IdentityToolkit

/// A SAML response as tests write it: the parts that matter, in JSON.
struct SAMLAnswer {
  /// The name; nil if it is not a string.
  let nameID: String?
  /// The attribute statements, unchecked.
  let attributes: JSON?

  init(_ text: String) throws(Refusal) {
    guard let json = ScriptValue.parse(text) else {
      throw Refusal(verbatim: "INVALID_IDP_RESPONSE ((SAMLResponse is not valid JSON.))")
    }
    attributes = json["assertion"]?["attributeStatements"]
    let assertion = try Self.present(json["assertion"], "assertion")
    let subject = try Self.present(assertion["subject"], "assertion.subject")
    let name = try Self.present(subject["nameId"], "assertion.subject.nameId")
    // A name that is not a string is ignored, unless its JavaScript text looks like an e-mail address.
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
