internal import System
internal import IdentityToolkit

/// One request for an operation, after routing, authentication and the check of its types.
struct Call {
  let operation: APIOperation
  let fields: Fields
  let query: FormFields
  /// Whether the caller sent an administrator's bearer token.
  let isAdmin: Bool
  /// The ids in the path, as far as there are any: project, tenant, resource.
  let ids: [String]
  /// The collection of the last id, such as `oauthIdpConfigs`.
  let collection: String
  var caller = Caller()
  var errors = ErrorShape.emulator
}
