import Encoding

/// One setting of a project, a tenant or an identity provider: its name for administrators, and its place on
/// the wire.
///
/// The names are those of Firebase's admin SDK for Node, where it has one, with `ID` as all of luath has it.
public struct Setting: Sendable {
  /// What a setting holds.
  public indirect enum Kind: Sendable {
    /// A string.
    case text
    /// One of these strings.
    case choice([String])
    /// A boolean.
    case flag
    /// A boolean whose field on the wire says the opposite.
    case oppositeFlag
    /// A whole number.
    case integer
    /// A number.
    case number
    /// A list of strings.
    case texts
    /// A list of strings, each of which is an object with this one field on the wire.
    case wrappedTexts(String)
    /// A list of strings that have other names on the wire.
    case renamedTexts([(name: String, wire: String)])
    /// A table of strings by name.
    case textsByName
    /// A table of further settings.
    case group([Setting])
    /// A table of further settings, which are replaced together.
    case whole([Setting])
    /// A table of further settings, which is the field of this name in a list's only item on the wire.
    case onlyItem(String, [Setting])
    /// A list of tables of settings.
    case items([Setting])
    /// A table that the backend shows and nobody changes.
    case shown([Setting])
  }

  /// Its name for administrators.
  public let name: String

  /// What it holds.
  public let kind: Kind

  /// Its field on the wire, from the message that the group stands for; empty for a group that is no message.
  let path: [String]

  /// The SDK's own spelling, which is understood as well.
  public var alias: String? {
    for (ours, theirs) in [("ID", "Id"), ("IDs", "Ids")] where name.hasSuffix(ours) {
      return name.dropLast(ours.utf8.count) + theirs
    }
    return nil
  }

  init(_ name: String, _ kind: Kind, at path: String? = nil) {
    self.name = name
    self.kind = kind
    let fields = (path ?? name).split(separator: ".")
    self.path = fields.map(String.init)
  }
}
