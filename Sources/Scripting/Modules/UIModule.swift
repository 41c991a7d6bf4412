import Auth
import Delegates
import Encoding
import HTTP
import IdentityToolkit
import Lua

/// `luath.ui`: how sign-in pages are shown.
enum UIModule {
  static func make(_ interpreter: Interpreter) -> Module {
    var ui = Declarations(interpreter, owner: "ui")
    ui.add(
      "form", "Fills the page's forms over HTTP, as one person without a browser.",
      [
        LuaParameter(
          "answers",
          .options([
            LuaParameter("username", .string, "what the login form is given"),
            LuaParameter("password", .string, optional: true),
            LuaParameter("consent", .boolean, optional: true, "false denies; true when not given"),
            LuaParameter("fields", .map(.string), optional: true, "other fields, by name or label"),
            LuaParameter(
              "trustedOrigins", .list(.string), optional: true,
              "other sites that may have the password"),
            LuaParameter("language", .string, optional: true, "as in Accept-Language"),
          ]))
      ], returns: "a delegate"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let username = call.field(1, "username", { $0.string($1) }) else {
        throw .message("bad argument #1 to 'form' (option 'username' is missing)")
      }
      var answers = SignInAnswers(
        username: username,
        password: call.field(1, "password") { $0.string($1) }.map { Secret($0) })
      answers.consent = call.field(1, "consent") { $0.isNil($1) || $0.boolean($1) }
      answers.fields = call.field(1, "fields") {
        Dictionary($0.stringPairs($1).map { ($0.0, Secret($0.1)) }) { $1 }
      }
      answers.trustedOrigins = call.field(1, "trustedOrigins") { $0.strings($1) }
      answers.languages = call.field(1, "language") { $0.string($1) }
      call.push(
        interpreter.classes.delegate,
        DelegateBox(
          FormDelegate(transport: interpreter.transport, answers: answers), words: "ui.form"))
      return .results(1)
    }
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
      // The page is shown from where it is, since its links and forms are relative to that.
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
          return [.string(try answer.get().address)]
        }
      }
    }
    return Module(
      "luath.ui", "How sign-in pages are shown.", ui.list,
      classes: [(interpreter.classes.delegate, [])])
  }
}

/// A delegate as scripts hold it.
final class DelegateBox {
  let delegate: any AuthUIDelegate
  let words: String

  init(_ delegate: any AuthUIDelegate, words: String) {
    self.delegate = delegate
    self.words = words
  }
}
