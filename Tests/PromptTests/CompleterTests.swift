@testable import System
@testable import HTTP
@testable import Host
@testable import Prompt
import Testing

@Suite struct CompleterTests {
  private func texts(_ begun: String, after texts: [String] = []) async throws -> [String] {
    try await SessionWorld.with { session in
      for text in texts { _ = await session.run(text) }
      return try Self.ask(begun, session)
    }
  }

  /// What the session itself knows, without the door that the editor's thread asks through.
  private static func ask(_ begun: String, _ session: PromptSession) throws -> [String] {
    let context = CompletionContext(begun, at: begun.utf8.count)
    let answer: JSON
    switch context.place {
    case .member(let path, let isMethod):
      answer = try session.interpreter.ask(
        "luath.prompt.complete", "members",
        [.array(path.map(JSON.string)), .bool(isMethod), .string(context.prefix)])
    case .name:
      answer = try session.interpreter.ask(
        "luath.prompt.complete", "names", [.string(context.prefix)])
    default: return []
    }
    return (answer["names"]?.array?.compactMap(\.string) ?? []).sorted()
  }

  @Test(
    arguments: [
      ("tab", [], ["table"]), ("myLo", ["local myLocal = 1"], ["myLocal"]),
      ("myGl", ["myGlobal = 1"], ["myGlobal"]), ("emu", [], ["emulator"]),
      ("string.for", [], ["format"]),
      ("t.ab", ["t = { abc = 1, abd = 2, x = 3 }"], ["abc", "abd"]),
      ("t:r", ["t = { run = print, rest = 1 }"], ["run"]),
      ("t.in", ["t = setmetatable({}, { __index = { inner = 1 } })"], ["inner"]),
      ("s:upp", ["local s = 'x'"], ["upper"]),
      ("t.a.b.", ["t = { a = { b = { c = 1, ['d e'] = 2 } } }"], ["c"]),
      ("auth.cur", [], ["currentUser"]),
      ("auth:signInAnon", [], ["signInAnonymously", "signInAnonymouslyWithCompletion"]),
      ("json.enc", [], ["encode"]), ("nobody.x", [], []),
      ("t.", ["t = setmetatable({}, { __index = function() error 'no' end })"], []),
      ("t.a.", ["t = setmetatable({}, { __index = function() while true do end end })"], []),
      ("f:wr", ["f = io.stdout"], ["write"]),
    ] as [(String, [String], [String])])
  func `what stands behind a value is offered without running anything`(
    _ begun: String, _ texts: [String], _ names: [String]
  ) async throws {
    let found = try await self.texts(begun, after: texts)
    #expect(found == names)
  }

  @Test func `ten thousand keys are offered`() async throws {
    let found = try await texts(
      "big.key", after: ["big = {} for i = 1, 10000 do big['key' .. i] = i end"])
    #expect(found.count == 10_000)
  }

  @Test func `of a million keys those are offered that were looked through`() async throws {
    let found = try await texts(
      "big.key99", after: ["big = {} for i = 1, 1000000 do big['key' .. i] = i end"])
    #expect(!found.isEmpty)
    #expect(found.count < 11_111)
  }

  @Test func `a busy session is not waited for`() async throws {
    let door = SessionProxy()
    let completer = Completer(door, folder: "/nowhere")
    completer.learn(names: ["print", "provider"], targets: ["staging"])
    let found = LuaLanguage(completer).completions(of: "pro", at: 3).items.map(\.text)
    #expect(found == ["provider"])
    #expect(completer.items(CompletionContext(".target s", at: 9)).map(\.text).contains("staging"))
    #expect(
      completer.items(CompletionContext("err.code == 'wro", at: 16)).map(\.text)
        .contains("wrongPassword'"))
    let closed = CompletionContext("err.code == 'wro'", at: 16)
    #expect(completer.items(closed).map(\.text).contains("wrongPassword"))
    let codes = LuaLanguage(completer).completions(of: "_err.code == ", at: 13).items.map(\.text)
    #expect(codes.contains("\"wrongPassword\"") && codes.contains("provider"))
    let begun = LuaLanguage(completer).completions(of: "_err.code == \"weakP", at: 19)
    #expect(begun.items.map(\.text) == ["weakPassword\""])
    #expect(begun.replaced == 14..<19)
    #expect(
      completer.items(CompletionContext("provider 'micro", at: 15)).map(\.text)
        .contains("microsoft.com"))
    #expect(completer.items(CompletionContext(".he", at: 3)).map(\.text).contains(".help"))
  }

  @Test func `the reference gives modules, option keys and signatures`() async throws {
    try await SessionWorld.with { session in
      let completer = Completer(SessionProxy(), folder: "/nowhere")
      completer.learn(session.catalogue)
      let modules = completer.items(CompletionContext("require 'luath.a", at: 16)).map(\.text)
      #expect(modules.contains("luath.auth"))
      let begun = "auth:signIn { pass"
      let keys = completer.items(CompletionContext(begun, at: begun.utf8.count)).map(\.text)
      #expect(keys.contains("password = "))
    }
  }

  @Test(
    arguments: [
      ("(\"x\"):up", ["upper"]), ("('a'):rep(3):low", ["lower"]),
      ("tostring(5):rev", ["reverse"]),
      ("('a'):find('b'):", []), ("auth:signInAnonymously().us", ["user"]),
      ("auth:signInAnonymously().user:getIDTok", ["getIDToken", "getIDTokenResult"]),
      ("provider('microsoft.com').scop", ["scopes"]),
      ("provider \"microsoft.com\":getC", ["getCredential"]),
      ("auth.currentUser:getIDToken():upp", ["upper"]), ("boom():", []),
      ("auth.currentUser:getIDTok", ["getIDToken", "getIDTokenResult"]), ("t.none.", []),
      ("t.boom().", []),
      ("actor { email = 'x' }:signI", ["signIn", "signInMethods"]),
    ] as [(String, [String])])
  func `what a call gives is known from the reference, and nothing is called`(
    _ begun: String, _ names: [String]
  ) async throws {
    let output = SessionWorld.Output()
    let found = try await SessionWorld.with(output: output) { session in
      _ = await session.run("function boom() print 'called' end t = { boom = boom }")
      let completer = Completer(session, folder: "/nowhere")
      completer.learn(session.catalogue)
      return LuaLanguage(completer).completions(of: begun, at: begun.utf8.count).items.map(\.text)
    }
    #expect(found.sorted() == names)
    #expect(output.text == "")
  }

  @Test(
    arguments: [
      ("p.customParameters = { ten", ["tenant = "]),
      ("p.customParameters = { dom", ["domain_hint = "]),
      ("p.customParameters = { tenant = 'x', lo", ["login_hint = "]),
      ("p.customParameters = { h", []), ("g.customParameters = { h", ["hd = "]),
      ("x.customParameters = { h", ["hd = "]), ("p.customParameters.dom", ["domain_hint"]),
      ("p.customParameters[\"dom", ["domain_hint"]),
      ("p:setCustomParameters { dom", ["domain_hint = "]),
      (
        "provider { providerID = 'yahoo.com', customParameters = { lang",
        ["lang = ", "language = "]
      ),
      ("p.customParameters = { prompt = 'sel", ["select_account"]),
      ("p.scopes = { 'mail", ["mail.read"]), ("p.scopes = { 'openid', \"cal", ["calendars.read"]),
      ("p:setScopes { 'mail", ["mail.read"]), ("p:addScope 'mail", ["mail.read"]),
      ("p:addScope(\"mail", ["mail.read"]), ("x.scopes = { 'mail", ["mail-r", "mail.read"]),
      ("o.scopes = { 'pho", ["phone"]), ("p.scopes = { 'pho", []),
    ] as [(String, [String])])
  func `parameters and scopes of the provider are offered`(
    _ begun: String, _ names: [String]
  ) async throws {
    try await SessionWorld.with { session in
      _ = await session.run("p, g = provider 'microsoft.com', provider 'google.com'")
      _ = await session.run("o = provider 'oidc.corp'")
      let completer = Completer(session, folder: "/nowhere")
      let found = LuaLanguage(completer).completions(of: begun, at: begun.utf8.count).items
      #expect(found.map(\.text) == names)
    }
  }

  @Test(
    arguments: [
      ("emulator.configure { ", "enumerationProtection = ", "parallel = "),
      ("journey.configure { ", "parallel = ", "enumerationProtection = "),
      ("em.configure { ", "enumerationProtection = ", "parallel = "),
      ("set { ", "enumerationProtection = ", "parallel = "),
      ("auth.configure { ", nil, "parallel = "), ("nobody.configure { ", nil, "parallel = "),
      ("configure { ", nil, "parallel = "),
    ] as [(String, String?, String)])
  func `only the options of the function that is called are offered`(
    _ begun: String, _ own: String?, _ other: String
  ) async throws {
    try await SessionWorld.with { session in
      _ = await session.run("local em = emulator; local set = em.configure")
      _ = await session.run("journey = require 'luath.journey'")
      for isBusy in [false, true] where !isBusy || begun.contains("emulator") {
        let completer =
          isBusy
          ? Completer(SessionProxy(), folder: "/nowhere") : Completer(session, folder: "/nowhere")
        completer.learn(session.catalogue)
        let context = CompletionContext(begun, at: begun.utf8.count)
        let found = completer.items(context).map(\.text)
        #expect(own.map(found.contains) != false, "busy: \(isBusy)")
        #expect(!found.contains(other), "busy: \(isBusy)")
      }
    }
  }

  @Test func `a session that is closed is not asked`() {
    #expect(SessionProxy().ask { $0.number } == nil)
  }
}
