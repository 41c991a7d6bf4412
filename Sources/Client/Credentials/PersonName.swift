import System

/// A user's name in two parts, as Apple sends it.
public struct PersonName: Sendable, Equatable {
  /// The given name.
  let givenName: String?

  /// The family name.
  let familyName: String?

  /// A name; nil when both parts are nil or empty.
  public init?(givenName: String?, familyName: String?) {
    self.givenName = givenName.flatMap { $0.isEmpty ? nil : $0 }
    self.familyName = familyName.flatMap { $0.isEmpty ? nil : $0 }
    if self.givenName == nil, self.familyName == nil { return nil }
  }

  /// The format of the backend, and of Apple's own response to a browser.
  var json: JSON {
    var name: JSONObject = [:]
    name["firstName"] = givenName.map { .string($0) }
    name["lastName"] = familyName.map { .string($0) }
    return ["name": .object(name)]
  }
}
