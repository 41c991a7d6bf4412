internal import Encoding
internal import IdentityToolkit

/// A SAML answer as tests write it: the parts that matter, in JSON.
struct SAMLAnswer {
  let nameID: String
  /// The attribute statements, whatever was written there.
  let attributes: JSON?

  init(_ text: String) throws(Refusal) {
    guard let json = try? JSON.parse(text) else {
      throw Refusal(verbatim: "INVALID_IDP_RESPONSE ((SAMLResponse is not valid JSON.))")
    }
    attributes = json["assertion"]?["attributeStatements"]
    let assertion = try Self.present(json["assertion"], "assertion")
    let subject = try Self.present(assertion["subject"], "assertion.subject")
    let name = try Self.present(subject["nameId"], "assertion.subject.nameId")
    guard case .string(let nameID) = name else {
      throw Refusal(
        verbatim: "INVALID_IDP_RESPONSE ((assertion.subject.nameId must be a string.))")
    }
    self.nameID = nameID
  }

  private static func present(_ value: JSON?, _ path: String) throws(Refusal) -> JSON {
    switch value {
    case nil, .null?, .bool(false)?, .integer(0)?: break
    case .string(let text)? where text.isEmpty: break
    case .some(let value): return value
    }
    throw Refusal(verbatim: "INVALID_IDP_RESPONSE ((Missing \(path) in SAMLResponse.))")
  }
}
