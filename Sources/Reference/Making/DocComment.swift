/// A comment over a piece of Lua in LuaLS's notation, and what it stands over.
struct DocComment {
  /// What follows the comment.
  enum Target: Equatable {
    case nothing
    /// `function owner.name(…)`, with the names of its arguments.
    case function(owner: String, name: String, isMethod: Bool, arguments: [String])
    /// `owner.name = …`
    case field(owner: String, name: String)
  }

  /// Its first sentence.
  var summary = ""
  /// What follows that, in paragraphs.
  var text = ""
  /// The lines that are indented as code is.
  var code = ""
  /// `@param name type words`; a name with a dot is a field of the argument before the dot.
  var parameters: [DocTag] = []
  /// `@return type name words`.
  var results: [DocTag] = []
  /// `@error code words`, which is luath's own.
  var errors: [DocTag] = []
  /// `@class name`.
  var className: String?
  /// `@field name type words`.
  var fields: [DocTag] = []
  /// Whether it has an `@async`.
  var isAsync = false
  /// What it stands over.
  var target = Target.nothing
  /// Whether that is another statement, such as a local function.
  var isOverStatement = false
  /// The body of that function, without its indentation.
  var body = ""
}

/// A line of a comment that begins with `@`.
struct DocTag {
  var name: String
  var type: String
  var isOptional: Bool
  var words: String
}
