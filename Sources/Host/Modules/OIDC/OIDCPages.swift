import Client
import System
import HTTP
import IdentityToolkit
import Lua
import OIDC

/// Shows a provider's pages for a client with any delegate.
struct OIDCPages {
  let client: OIDCClient
  let delegate: any AuthUIDelegate
  let interpreter: Interpreter

  func signIn(_ options: AuthorizationOptions) async throws(LuaError) -> OIDCTokens {
    let (flow, answer) = try await show(options.uiLocales.first) { presentation throws(OIDCError) in
      let flow = try client.begin(options, presentation: presentation)
      return (flow, flow.url, flow.redirectURI, options.loginHint)
    }
    do throws(OIDCError) {
      return try await client.finish(flow, finalURL: answer.finalURL, postBody: answer.postBody)
    } catch {
      throw interpreter.luaError(error)
    }
  }

  func signOut(_ options: LogoutOptions) async throws(LuaError) {
    var options = options
    options.redirectURI = options.redirectURI ?? client.settings.redirectURI
    let (logout, answer) = try await show(options.uiLocales.first) {
      presentation throws(OIDCError) in
      let logout = try client.logout(options, presentation: presentation)
      // Without a redirect address the delegate could not detect the end of the flow.
      guard let redirectURI = logout.redirectURI else {
        throw OIDCError(
          .unusableRequest, "the sign-out has no redirect address",
          hint: "give redirectURI, as registered with the provider for after a sign-out")
      }
      return (logout, logout.url, redirectURI, options.logoutHint)
    }
    try interpreter.oidcChecked { () throws(OIDCError) in
      try logout.finish(finalURL: answer.finalURL, postBody: answer.postBody)
    }
  }

  /// Shows one page with the delegate; always ends its presentation.
  private func show<Flow>(
    _ language: String?,
    _ begin: (WebURL?) throws(OIDCError) -> (
      flow: Flow, url: WebURL, redirectURI: WebURL, hint: String?
    )
  ) async throws(LuaError) -> (Flow, PageAnswer) {
    let provider = interpreter.transport.providerID(ofIssuer: client.metadata.issuer)
    let presentation = try await presentation(for: provider)
    let result: Result<(Flow, PageAnswer), LuaError>
    do throws(OIDCError) {
      let begun = try begin(presentation.redirectURL)
      let request = SignInPageRequest(
        url: begun.url, providerID: provider, redirectURI: begun.redirectURI.with(query: nil),
        loginHint: begun.hint, language: language,
        isEmulated: interpreter.transport.isEmulator(begun.url))
      do throws(AuthError) {
        result = .success((begun.flow, try await presentation.present(request)))
      } catch {
        result = .failure(interpreter.luaError(error))
      }
    } catch {
      result = .failure(interpreter.luaError(error))
    }
    await presentation.end()
    return try result.get()
  }

  private func presentation(
    for provider: String
  ) async throws(LuaError) -> any SignInPresentation {
    do throws(AuthError) {
      guard case .page(let presentation) = try await delegate.begin(provider) else {
        throw AuthError(
          .webPageUnusable, "this delegate gets tokens by itself and shows no page",
          hint: "show the page with another one, or use client:device()")
      }
      return presentation
    } catch {
      throw interpreter.luaError(error)
    }
  }
}
