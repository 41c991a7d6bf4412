internal import System
internal import IdentityToolkit

/// A query parameter, with its type from Google's API description.
struct QueryParameter: Sendable {
  private enum Kind {
    case text, bool, integer
    case choice([Substring])
  }

  private let name: String
  private let kind: Kind

  /// Reads `name`, `name:bool`, `name:int` or `name:ONE|OTHER`.
  private init(_ text: Substring) {
    let parts = text.parts(at: ":")
    name = String(parts[0])
    kind =
      switch parts.count > 1 ? parts[1] : "" {
      case "": .text
      case "bool": .bool
      case "int": .integer
      default: .choice(parts[1].parts(at: "|"))
      }
  }

  // MARK: The table

  /// The parameters that every operation takes, in the order in which faults are reported.
  private static let common = list(
    """
    access_token alt:json|media|proto callback fields oauth_token prettyPrint:bool quotaUser uploadType \
    upload_protocol
    """)

  /// The further parameters of a path, by its method and last segment.
  private static let further: [String: [QueryParameter]] = {
    let rows = table[...].parts(at: "\n").map { row in
      let parameters = row.drop { $0 != " " }.dropFirst().drop { $0 != " " }
      return (String(row[..<parameters.startIndex]), list(parameters))
    }
    return Dictionary(uniqueKeysWithValues: rows)
  }()

  /// `METHOD END PARAMETERS`: the further parameters of a path whose last segment is END.
  private static let table = """
    GET accounts:batchGet delegatedProjectNumber maxResults:int nextPageToken tenantId
    GET projects androidPackageName clientId delegatedProjectNumber firebaseAppId iosBundleId projectNumber returnDynamicLink:bool sha1Cert
    GET defaultSupportedIdps pageSize:int pageToken
    GET defaultSupportedIdpConfigs pageSize:int pageToken
    GET inboundSamlConfigs pageSize:int pageToken
    GET oauthIdpConfigs pageSize:int pageToken
    GET tenants pageSize:int pageToken
    POST defaultSupportedIdpConfigs idpId
    POST inboundSamlConfigs inboundSamlConfigId
    POST oauthIdpConfigs oauthIdpConfigId
    PATCH config updateMask
    PATCH * updateMask
    GET passwordPolicy tenantId
    GET recaptchaConfig clientType:CLIENT_TYPE_UNSPECIFIED|CLIENT_TYPE_WEB|CLIENT_TYPE_ANDROID|CLIENT_TYPE_IOS tenantId version:RECAPTCHA_VERSION_UNSPECIFIED|RECAPTCHA_ENTERPRISE
    """

  /// The parameters of an operation, by its method and its path in `RouteTable`.
  static func all(of method: String, _ path: String) -> [QueryParameter] {
    let end = path[...].parts(at: "/").last ?? ""
    let all = common + (further["\(method) \(end)"] ?? [])
    // If the path names the tenant, its id is not a query parameter.
    return path.contains("tenants/") ? all.filter { $0.name != "tenantId" } : all
  }

  private static func list(_ text: Substring) -> [QueryParameter] {
    text.parts(at: " ").map(Self.init)
  }

  // MARK: The check

  /// Refuses the first parameter whose value does not have its type.
  ///
  /// Where Google's transcoder reads the query, refuses all of the operation's own parameters that it cannot read.
  static func check(
    _ query: FormFields, against parameters: [QueryParameter], _ rules: Rules
  ) throws(Refusal) {
    // Most requests have a key and nothing else.
    guard query.pairs.contains(where: { $0.name != "key" }) else { return }
    if rules[.protobufJSON] {
      let faults = parameters.compactMap { $0.transcodingFault(in: query.all($0.name).last) }
      guard faults.isEmpty else { throw TranscodingFault.refusal(faults) }
      return
    }
    for parameter in parameters {
      let values = query.all(parameter.name)
      guard let first = values.first, let expected = parameter.fault(in: values, first) else {
        continue
      }
      throw .invalidArgument("Invalid JSON payload received.  must be \(expected)")
    }
  }

  /// The type that the values should have; nil if they have it.
  ///
  /// A repeated parameter is a list, which fits none of the types.
  private func fault(in values: [String], _ first: String) -> String? {
    let isOne = values.count == 1
    switch kind {
    case .text: return isOne ? nil : "string"
    case .bool: return isOne && (first == "true" || first == "false") ? nil : "boolean"
    case .integer: return isOne && Self.isInteger(first) ? nil : "integer"
    case .choice(let names):
      guard isOne else { return "string" }
      return names.contains { $0 == first } ? nil : "equal to one of the allowed values"
    }
  }

  /// The fault of a value that does not have its type; an empty value counts as absent.
  private func transcodingFault(in text: String?) -> TranscodingFault? {
    guard let text, !text.isEmpty, !isCommon else { return nil }
    let type: String
    switch kind {
    case .bool where Transcoder.bool(.string(text)) == nil: type = "TYPE_BOOL"
    case .integer where Transcoder.int32(.string(text)) == nil: type = "TYPE_INT32"
    default: return nil
    }
    return .value(JSON.string(text).encoded(), type, at: Schema.snakeCase(name))
  }

  private var isCommon: Bool {
    Self.common.contains { $0.name == name }
  }

  private static func isInteger(_ text: String) -> Bool {
    guard !text.isEmpty, let number = ScriptNumber.parse(text) else { return false }
    return number.isFinite && number == number.rounded(.towardZero)
  }
}
