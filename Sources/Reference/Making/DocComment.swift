/// A comment in LuaLS's notation and the Lua code that it documents.
struct DocComment {
  enum Target: Equatable {
    case nothing
    /// `function owner.name(…)`, with the names of its parameters.
    case function(owner: String, name: String, isMethod: Bool, arguments: [String])
    /// `owner.name = …`
    case field(owner: String, name: String)
  }

  var summary = ""
  /// The rest, in paragraphs.
  var text = ""
  /// The lines indented as code.
  var code = ""
  /// `@param name type words`; `a.b` is the field `b` of the parameter `a`.
  var parameters: [DocTag] = []
  /// `@return type name words`.
  var results: [DocTag] = []
  /// `@error code words`, an extension of luath.
  var errors: [DocTag] = []
  /// `@class name`.
  var className: String?
  /// `@field name type words`.
  var fields: [DocTag] = []
  /// `@async`.
  var isAsync = false
  var target = Target.nothing
  /// Whether the comment documents another statement, such as a local function.
  var isOverStatement = false
  /// The body of the documented function, without indentation.
  var body = ""
}

/// A line of a comment that begins with `@`.
struct DocTag {
  var name: String
  var type: String
  var isOptional: Bool
  var words: String
}
