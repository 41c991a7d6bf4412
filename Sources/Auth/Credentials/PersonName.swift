import Encoding

/// A person's name in two parts, as Apple hands it over.
public struct PersonName: Sendable, Equatable {
  /// The given name.
  public let givenName: String?

  /// The family name.
  public let familyName: String?

  /// A name of at least one part that is not empty; nil when there is none.
  public init?(givenName: String?, familyName: String?) {
    self.givenName = givenName.flatMap { $0.isEmpty ? nil : $0 }
    self.familyName = familyName.flatMap { $0.isEmpty ? nil : $0 }
    if self.givenName == nil, self.familyName == nil { return nil }
  }

  /// The form in which the backend and Apple's own answer to a browser have it.
  var json: JSON {
    var name: JSONObject = [:]
    name["firstName"] = givenName.map { .string($0) }
    name["lastName"] = familyName.map { .string($0) }
    return ["name": .object(name)]
  }
}
