public import System

extension Redaction {
  /// Creates a redaction for the secrets in a request's body, and more.
  public init(body: JSONObject, and more: [String] = []) {
    self.init(secrets: Self.secrets(in: .object(body), under: "") + more)
  }

  /// Members of responses that contain URLs with secrets.
  private static let addresses: Set<String> = ["authUri", "oobLink"]

  /// The only parameters of a provider's response that errors may quote: an ID and a server's address (RFC 9207).
  private static let shownParameters: Set<String> = ["providerId", "iss"]

  private static func secrets(in json: JSON, under name: String) -> [String] {
    switch json {
    case .object(let object): object.entries.flatMap { secrets(in: $0.value, under: $0.key) }
    case .array(let items): items.flatMap { secrets(in: $0, under: name) }
    case .string(let text) where name == "postBody":
      [text] + secretParameters(of: text)
    case .string(let text) where name == "requestUri": parameters(ofURL: text)
    case .string(let text): isSecret(name) ? [text] : []
    default: []
    }
  }

  private static func isSecret(_ name: String) -> Bool {
    SecretNames.holdSecrets(name) || addresses.contains(name)
  }

  private static func parameters(ofURL text: String) -> [String] {
    guard let mark = text.utf8.firstIndex(where: { $0 == 0x3F || $0 == 0x23 }) else { return [] }
    let parameters = String(Substring(text.utf8[mark...].dropFirst()))
    return [parameters] + secretParameters(of: parameters.replacing("#", with: "&"))
  }

  private static func secretParameters(of form: String) -> [String] {
    FormFields(parsing: form).pairs.filter { !shownParameters.contains($0.name) }.map(\.value)
  }

  /// Removes secret members from an object and cleans all texts.
  public func clean(_ json: JSON) -> JSON {
    switch json {
    case .string(let text): .string(clean(text))
    case .array(let members): .array(members.map(clean))
    case .object(let object):
      .object(
        JSONObject(
          object.entries.filter { !Self.isSecret($0.key) }.map { ($0.key, clean($0.value)) }))
    default: json
    }
  }
}
