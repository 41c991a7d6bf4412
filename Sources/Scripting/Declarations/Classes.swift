import Lua

/// The classes of one interpreter; their members capture it, so each has its own.
final class Classes {
  let null: LuaClass
  let task = LuaClass("Task", "A function that runs beside its caller.")
  let response = LuaClass("HTTPResponse", "The answer to a request.")
  let delegate = LuaClass("UIDelegate", "A way to show sign-in pages.")
  let auth = LuaClass("Auth", "The client of one project, with its signed-in user.")
  let user = LuaClass("User", "A signed-in account.")
  let provider = LuaClass("OAuthProvider", "An identity provider by its id.")
  let credential: LuaClass
  let admin = LuaClass("Admin", "The administrator of one project or tenant.")

  init() {
    null = LuaClass(JSONBridge.nullName, "JSON's null.")
    null.describe = { _ in "null" }
    delegate.describe = { ($0 as? DelegateBox)?.words ?? "delegate" }
    credential = CredentialClass.make()
  }

  /// Lets go of the members, which mention the classes themselves, when no script can call them.
  func dissolve() {
    for type in [null, task, response, delegate, auth, user, provider, credential, admin] {
      type.methods = []
      type.properties = []
    }
  }
}
