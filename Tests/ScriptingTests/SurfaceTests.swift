@testable import Emulator
@testable import Lua
@testable import Host
import Testing

/// Calls every function of the surface with wrong values at every place.
@Suite(.timeLimit(.minutes(5))) struct SurfaceTests {
  /// A Lua expression for an instance of each class.
  private static let instances = [
    "Auth": "Auth.auth()",
    "AuthListener": "Auth.auth():addStateDidChangeListener(print)",
    "OAuthProvider": "Auth.OAuthProvider('microsoft.com')",
    "Credential": "Auth.EmailAuthProvider.credential('a@b.example', 'secret1')",
    "User": "user", "UIDelegate": "ui.form { username = 'x' }",
    "Task": "task.spawn(function() end)", "Admin": "require('luath.admin').admin()",
    "PhoneAuthProvider": "Auth.PhoneAuthProvider()", "MultiFactor": "user.multiFactor",
    "MultiFactorSession": "user.multiFactor:getSession()",
    "MultiFactorAssertion": "Auth.TOTPMultiFactorGenerator.assertionForSignIn('x', '123456')",
    "MultiFactorResolver": "factors().resolver", "TOTPSecret": "factors().secret",
    "AdminList": "select(2, require('luath.admin').admin():listTenants())",
    "OIDCClient": "oidcClient()", "OIDCFlow": "oidcClient():begin()",
    "OIDCTokens": "tokens()", "OIDCDevice": "device()",
    "Page": "page()", "PageElement": "page():find('body')",
    "HTTPResponse": "http.get(require('luath.emulator').origin .. '/')",
  ]
  /// Values of every Lua type, one of which no parameter takes.
  private static let values = [
    "nil", "true", "7", "7.5", "'text'", "{}", "{ 1 }", "{ x = 1 }", "print", "io.stdout",
    "coroutine.create(print)", "Auth.OAuthProvider('yahoo.com')",
  ]
  private static let prelude = """
    local Auth, http, json = require "luath.auth", require "luath.http", require "luath.json"
    local task, ui = require "luath.task", require "luath.ui"
    local user = Auth.session():signInAnonymously().user
    local client
    local function oidcClient()
      local issuer = require("luath.emulator").origin .. "/oidc/implicit"
      client = client or require("luath.oidc").client {
        issuer = issuer, clientID = "luath-client-oidc.implicit", redirectURI = "http://127.0.0.1:8910/",
      }
      return client
    end
    local function tokens() return oidcClient():signIn() end
    local function device() return oidcClient():device() end
    local known, opened
    local function page()
      opened = opened or require("luath.webdriver").open()
      return opened
    end
    local function factors()
      if known then return known end
      local provider = Auth.OAuthProvider "google.com"
      local one = Auth.session():signIn(provider).user
      local secret = Auth.TOTPMultiFactorGenerator.generateSecret(one.multiFactor:getSession())
      one.multiFactor:enroll(
        Auth.TOTPMultiFactorGenerator.assertionForEnrollment(secret, require("luath.totp").code(secret)), "app")
      local _, err = pcall(Auth.auth().signIn, Auth.auth(), provider)
      known = { secret = secret, resolver = err.resolver }
      return known
    end
    local function check(name, f, self, at, value)
      local arguments = table.pack(self)
      local first = self == nil and 0 or 1
      arguments[first + at] = value
      local ok, err = pcall(f, table.unpack(arguments, 1, first + at))
      local words = type(err) == "table" and err.message or err
      assert(ok or type(err) == "string" or type(err) == "table", name)
      if not ok then
        assert(type(words) == "string" and #words > 10, name .. ": " .. tostring(words))
        assert(not words:find("attempt to"), name .. ": " .. words)
        assert(not words:find("stack"), name .. ": " .. words)
      end
      return ok, tostring(words)
    end

    """

  /// Whether the checks in C refuse the value, so that the message must be Lua's own.
  private func refuses(_ kind: LuaParameter.Kind, _ value: String, optional: Bool) -> Bool {
    switch (kind, value) {
    case (.any, _): false
    case (_, "nil"): !optional
    case (.either(let kinds), _): kinds.allSatisfy { refuses($0, value, optional: false) }
    case (.string, "'text'"), (.secret, "'text'"), (.bytes, "'text'"), (.number, "7"),
      (.number, "7.5"), (.integer, "7"),
      (.boolean, "true"), (.function, "print"):
      false
    case (.table, "{}"), (.table, "{ 1 }"), (.table, "{ x = 1 }"): false
    case (.list, "{}"), (.map, "{}"), (.options, "{}"): false
    case (.list(.integer), "{ 1 }"), (.list(.number), "{ 1 }"), (.list(.any), "{ 1 }"): false
    case (.map(.integer), "{ x = 1 }"), (.map(.any), "{ x = 1 }"): false
    case (.object(let type), "Auth.OAuthProvider('yahoo.com')"): type.name != "OAuthProvider"
    default: true
    }
  }

  @Test(arguments: Surface.moduleNames)
  func `every function refuses wrong values in words`(_ name: String) async throws {
    let script = try await withSurface { surface in
      var script = Self.prelude
      var count = 0
      let module = try #require(surface.module(name))
      for declaration in module.declarations {
        count += 1
        script += checks("require('\(name)').\(declaration.name)", nil, declaration)
      }
      for (type, methods) in module.classes {
        let instance = try #require(Self.instances[type.name], "no instance of \(type.name)")
        for declaration in methods {
          count += 1
          script += "do local object = \(instance)\n"
          script += checks("object.\(declaration.name)", "object", declaration)
          script += "end\n"
        }
      }
      #expect(count > 0)
      return script
    }
    try await ScriptRunner(timeout: .seconds(120)).run(script)
  }

  private func checks(_ function: String, _ own: String?, _ declaration: Declaration) -> String {
    // Ending the script or the account is not what is tried here.
    if ["delete", "cancel"].contains(declaration.name) && own != nil { return "" }
    var text = ""
    for (index, parameter) in declaration.parameters.enumerated() {
      for value in Self.values where refuses(parameter.kind, value, optional: parameter.optional) {
        // Earlier arguments are missing, so only the first place is sure to be named.
        text += """
          do local ok, words = check("\(declaration.usage)", \(function), \(own ?? "nil"), \(index + 1), \(value))
          assert(not ok, [[\(declaration.usage) takes \(value)]])
          assert(words:find("bad argument", 1, true), words) end

          """
      }
    }
    if own != nil {
      for value in ["nil", "{}", "io.stdout", "print"] {
        text += """
          do local ok, err = pcall(\(function), \(value))
          assert(not ok and err:find(" on bad self", 1, true), err) end

          """
      }
    }
    return text
  }

  @Test func `every declaration says what it does`() async throws {
    try await withSurface { surface in
      for name in Surface.moduleNames {
        let module = try #require(surface.module(name))
        #expect(!module.summary.isEmpty)
        for declaration in module.declarations + module.classes.flatMap(\.methods) {
          #expect(declaration.summary.hasSuffix("."), "\(declaration.usage)")
          #expect(
            declaration.usage.contains(declaration.name) || declaration.summary.contains("older"))
        }
      }
    }
  }
}
