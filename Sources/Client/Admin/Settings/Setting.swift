import System

/// A setting of a project, a tenant or an identity provider: its name and its field in the API.
///
/// The names are those of Firebase's Admin SDK for Node, where it has one, spelled with `ID` as
/// everywhere in luath.
public struct Setting: Sendable {
  /// The type of a setting.
  public indirect enum Kind: Sendable {
    case text
    /// One of these strings.
    case choice([String])
    case flag
    /// A Boolean whose API field means the opposite.
    case oppositeFlag
    case integer
    case number
    /// A list of strings.
    case texts
    /// A list of strings; in the API, each one is an object with this field.
    case wrappedTexts(String)
    /// A list of strings with other names in the API.
    case renamedTexts([(name: String, wire: String)])
    /// A table of strings by name.
    case textsByName
    /// A table of further settings.
    case group([Setting])
    /// A table of further settings, which are replaced together.
    case whole([Setting])
    /// A table of further settings; in the API, this field of a list's only item.
    case onlyItem(String, [Setting])
    /// A list of tables of settings.
    case items([Setting])
    /// A read-only table.
    case shown([Setting])
  }

  /// The name for administrators.
  public let name: String

  /// The type.
  public let kind: Kind

  /// The path of its API field, relative to the group's message; empty for a group without a message.
  let path: [String]

  /// The SDK's own spelling, which is accepted as well.
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
