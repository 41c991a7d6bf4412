import Client
import Lua

/// The classes of one interpreter; not shared, as their members capture the interpreter.
final class Classes {
  let null: LuaClass
  let task = LuaClass("Task", "A function that runs beside its caller.")
  let response = LuaClass("HTTPResponse", "The answer to a request.")
  let delegate = LuaClass("UIDelegate", "A way to show sign-in pages.")
  let auth = LuaClass(
    "Auth", "The client of one project, with its signed-in user.", keepsIdentity: true)
  let listener = LuaClass("AuthListener", "A function that hears who is signed in.")
  let user = LuaClass("User", "A signed-in account.")
  let provider = LuaClass("OAuthProvider", "An identity provider by its id.")
  let credential: LuaClass
  let admin = LuaClass("Admin", "The administrator of one project or tenant.")
  let phoneProvider = LuaClass("PhoneAuthProvider", "Has codes sent to telephones.")
  let multiFactor = LuaClass("MultiFactor", "The second factors of a user.")
  let multiFactorSession = LuaClass(
    "MultiFactorSession", "What a code or secret is asked for with.")
  let multiFactorAssertion = LuaClass("MultiFactorAssertion", "The proof of a second factor.")
  let multiFactorResolver = LuaClass(
    "MultiFactorResolver", "What finishes a sign-in that asked for a second factor.")
  let totpSecret = LuaClass("TOTPSecret", "A secret to share with an authenticator app.")
  let adminList = LuaClass("AdminList", "Items that the backend gives page by page.")
  let oidcClient = LuaClass("OIDCClient", "A client of one OpenID provider.")
  let oidcFlow = LuaClass("OIDCFlow", "One sign-in at an OpenID provider, until its answer.")
  let oidcTokens = LuaClass("OIDCTokens", "What an OpenID provider gave for one person.")
  let oidcDevice = LuaClass("OIDCDevice", "A sign-in that is finished on another device.")

  let page = LuaClass("Page", "A page in a browser, driven over WebDriver.")
  let pageElement = LuaClass("PageElement", "An element of a page, found anew by each verb.")

  init() {
    null = LuaClass(JSONBridge.nullName, "JSON's null.")
    null.describe = { _ in "null" }
    delegate.describe = { ($0 as? DelegateBox)?.words ?? "delegate" }
    multiFactorSession.describe = { _ in "MultiFactorSession" }
    multiFactorAssertion.describe = { object in
      (object as? MultiFactorAssertion).map { "MultiFactorAssertion(\($0.factorID))" }
        ?? "MultiFactorAssertion"
    }
    credential = CredentialClass.make()
  }

  /// Removes all members to break their reference cycles with the classes; call it when no script runs any more.
  func dissolve() {
    for type in [
      null, task, response, delegate, auth, listener, user, provider, credential, admin,
      phoneProvider, multiFactor, multiFactorSession, multiFactorAssertion, multiFactorResolver,
      totpSecret, adminList, oidcClient, oidcFlow, oidcTokens, oidcDevice, page, pageElement,
    ] {
      type.methods = []
      type.close = nil
      type.properties = []
    }
  }
}
