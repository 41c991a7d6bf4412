internal import Encoding
internal import IdentityToolkit

/// One request for an operation, after routing, authentication and the check of its types.
struct Call {
  let operation: Operation
  let fields: Fields
  /// The parameters of the query string.
  let query: FormFields
  /// Whether the caller came with the administrator's bearer token.
  let isAdmin: Bool
  /// The ids in the path: project, tenant, resource, as far as there are any.
  let ids: [String]
  /// What kind of thing the last id names, such as `oauthIdpConfigs`.
  let collection: String
  /// The app that asks.
  var caller = Caller()
  /// How a refusal of the call is written.
  var errors = ErrorShape.emulator
}
