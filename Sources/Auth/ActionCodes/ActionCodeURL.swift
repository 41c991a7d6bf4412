public import Encoding

/// A link of an e-mail, taken apart.
///
/// Links that open an app are often wrapped in another link, whose parameters `link` or
/// `deep_link_id` hold the one that counts, or whose whole query is that link.
public struct ActionCodeURL: Sendable {
  /// The key of the project that sent the link.
  public let apiKey: Secret?

  /// What the code does.
  public let operation: ActionCodeOperation

  /// The code.
  public let code: Secret

  /// Where to go on afterwards.
  public let continueURL: String?

  /// The language of the e-mail.
  public let languageCode: String?

  /// The tenant the code belongs to.
  public let tenantID: String?

  /// More layers than any mail program or link service wraps around a link.
  private static let deepestNesting = 4

  /// Reads a link; nil when neither it nor a link inside it holds a code and what the code does.
  public init?(_ link: String) {
    guard let fields = Self.parameters(of: link, depth: 0) else { return nil }
    func value(_ name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }
    guard let code = value("oobCode"), let mode = value("mode") else { return nil }
    self.code = Secret(code)
    operation = ActionCodeOperation(wire: mode)
    apiKey = value("apiKey").map(Secret.init)
    continueURL = value("continueUrl")
    languageCode = value("lang") ?? value("languageCode")
    tenantID = value("tenantId")
  }

  /// The parameters of the link itself, or else of a link inside it.
  private static func parameters(of link: String, depth: Int) -> FormFields? {
    guard depth <= deepestNesting, let query = query(of: link) else { return nil }
    let fields = FormFields(parsing: query)
    if fields["oobCode"]?.isEmpty == false, fields["mode"]?.isEmpty == false { return fields }
    for inner in [fields["link"], fields["deep_link_id"], query].compactMap(\.self) {
      if let found = parameters(of: inner, depth: depth + 1) { return found }
    }
    return nil
  }

  private static func query(of link: String) -> String? {
    let bytes = link.utf8
    let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    guard let mark = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) else { return nil }
    return String(Substring(bytes[bytes.index(after: mark)..<end]))
  }
}
