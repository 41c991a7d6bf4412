public import System

/// A parsed link of an e-mail.
///
/// Links that open an app are often wrapped: the actual link is in the parameter `link` or `deep_link_id` of another
/// link, or is its whole query.
public struct ActionCodeURL: Sendable {
  /// The API key of the project that sent the link.
  public let apiKey: Secret?

  /// The operation of the code.
  public let operation: ActionCodeOperation

  /// The code.
  public let code: Secret

  /// The URL to continue at afterwards.
  public let continueURL: String?

  /// The language of the e-mail.
  public let languageCode: String?

  /// The tenant of the code.
  public let tenantID: String?

  /// No mail program or link service wraps a link in more layers.
  private static let deepestNesting = 4

  /// Parses a link; nil when neither it nor a wrapped link has a code and a mode.
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

  /// The parameters of the link, or of a link wrapped in it.
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
