/// One request to a backend operation, after routing and authentication.
struct Call: Sendable {
  let fields: Fields
  /// Whether the caller came with the administrator's bearer token.
  let isAdmin: Bool
}
