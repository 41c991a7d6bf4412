import Client
import System
import HTTP
import IdentityToolkit
import Lua

extension UIModule {
  static func declareShow(_ ui: inout Declarations, _ interpreter: Interpreter) {
    ui.wait(
      "show", "Shows a page of a flow of your own until it comes back to an address.",
      [
        LuaParameter("delegate", .either([.object(interpreter.classes.delegate), .function])),
        LuaParameter("url", .string, "the page"),
        LuaParameter("redirectURI", .string, "the address that ends the flow"),
      ], returns: "the final address, with query and fragment"
    ) { [unowned interpreter] call throws(LuaError) in
      let delegate = interpreter.delegate(call, 1)
      guard let url = WebURL(call.string(2) ?? "") else {
        throw .message("bad argument #2 to 'show' (an http or https URL expected)")
      }
      guard let redirect = WebURL(call.string(3) ?? "") else {
        throw .message("bad argument #3 to 'show' (an http or https URL expected)")
      }
      // An emulated host is replaced by the emulator first, as the page's links and forms are relative to its address.
      let request = SignInPageRequest(
        url: interpreter.transport.answering(url), providerID: url.host, redirectURI: redirect,
        loginHint: url.fields["login_hint"],
        isEmulated: interpreter.context.target.isEmulated)
      return { () async throws(LuaError) in
        try await interpreter.auth { () async throws(AuthError) in
          guard case .page(let presentation) = try await delegate.begin(request.providerID) else {
            throw AuthError(
              .webPageUnusable, "this delegate gets tokens by itself and shows no page",
              hint: "pass it to provider:getCredential, or show the page with another one")
          }
          let answer: Result<PageAnswer, AuthError>
          do throws(AuthError) {
            answer = .success(try await presentation.present(request))
          } catch {
            answer = .failure(error)
          }
          await presentation.end()
          let ending = try answer.get()
          guard let final = WebURL(ending.finalURL), final.origin == redirect.origin,
            final.path == redirect.path
          else {
            throw AuthError(
              .webStateMismatch,
              "the page did not end at \(redirect.origin)\(redirect.path)",
              hint: "return the address at which the page ended, whole")
          }
          return [.string(ending.address)]
        }
      }
    }
  }
}
