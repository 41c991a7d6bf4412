@testable import Host
@testable import IdentityToolkit
@testable import Reference
import Testing

@Suite struct CatalogueTests {
  @Test func `a name finds the entry by its full name and by its last word`() {
    let entry = ReferenceEntry(
      kind: .method, owner: "Auth", name: "signIn", signature: "auth:signIn(credential)",
      summary: "Signs in.")
    let page = ReferencePage(.class, "Auth", "The client.", entries: [entry])
    let catalogue = Catalogue(pages: [page])
    #expect(catalogue.entries(named: "Auth:signIn").map(\.fullName) == ["Auth:signIn"])
    #expect(catalogue.entries(named: "signIn").map(\.fullName) == ["Auth:signIn"])
    #expect(catalogue.entries(named: "Auth.signIn").map(\.fullName) == ["Auth:signIn"])
    #expect(catalogue.entries(named: "User:signIn").isEmpty)
  }

  @Test func `the host's modules and the library's are in it, with their classes`() async throws {
    let catalogue = try await Catalogue.shared
    let names = catalogue.pages.map(\.name)
    for name in ["luath.auth", "luath.journey", "luath", "Auth", "User", "Journey", "Actor"] {
      #expect(names.contains(name))
    }
    let signIn = try #require(catalogue.entries(named: "Auth:signIn").first)
    #expect(signIn.waits)
    #expect(signIn.signature == "auth:signIn(proof [, delegate])")
    #expect(
      catalogue.text(of: signIn).hasPrefix(
        "auth:signIn(proof [, delegate])\n  method of Auth, waits\n"))
  }

  @Test func `a misspelt name is answered with the one that was meant`() async throws {
    let catalogue = try await Catalogue.shared
    #expect(catalogue.text(of: "sigIn")?.contains("did you mean signIn?") == true)
    #expect(catalogue.text(of: "zxqwv zxqwu") == nil)
  }

  @Test func `no line of a help is wider than the terminal, but for code`() async throws {
    let catalogue = try await Catalogue.shared
    for page in catalogue.pages {
      for columns in [60, 80, 200] {
        let lines = catalogue.text(of: page, HelpStyle(columns: columns)).split(separator: "\n")
        for line in lines where !line.contains("(") && !line.contains("{") {
          #expect(line.count <= max(columns, page.name.count), "\(line)")
        }
      }
    }
  }

  @Test func `an example brings the statements it needs, and no others`() async throws {
    let catalogue = try await Catalogue.shared
    let example = try #require(catalogue.entries(named: "Auth:onAuthStateChanged").first).example
    #expect(example.hasPrefix("local Auth = require \"luath.auth\"\nlocal auth = Auth.auth()\n"))
    #expect(!example.contains("createUser"))
  }

  @Test func `a module that is called begins with that`() async throws {
    let catalogue = try await Catalogue.shared
    for (page, signature) in [
      ("luath.journey", "journey(name [, options], body)"), ("luath.expect", "expect(value)"),
      ("luath.actor", "actor([who])"),
    ] {
      #expect(catalogue.page(named: page)?.entries.first?.signature == signature)
    }
  }

  @Test func `an older spelling is explained by today's, which lists it`() async throws {
    let catalogue = try await Catalogue.shared
    let text = try #require(catalogue.text(of: "linkWithPopup"))
    #expect(text.hasPrefix("user:link(proof [, delegate])\n"))
    #expect(text.contains("linkWithPopup"))
    for (old, current) in [
      ("letter", "actor:newestEmail()"), ("Actor:ways", "actor:signInMethods()"),
      ("Journey.people", "users: Users"), ("User.emailVerified", "isEmailVerified"),
    ] {
      let text = catalogue.text(of: old) ?? ""
      #expect(text.split(separator: "\n").first?.contains(current) == true, "\(old): \(text)")
    }
  }

  @Test func `whatever a listing writes is found as it is written, with a dot or a colon`()
    async throws
  {
    let catalogue = try await Catalogue.shared
    for entry in catalogue.pages.flatMap(\.entries) where entry.current == nil {
      let name = entry.writtenName
      for spelling in [name, name.replacing(":", with: "."), entry.fullName, entry.signature] {
        let isFound = catalogue.entries(named: spelling).contains { $0.fullName == entry.fullName }
        #expect(isFound, "\(spelling)")
      }
    }
    for spelling in ["auth:signIn", "auth.signIn", "Auth:signIn", "auth.signin", "auth:signIn()"] {
      #expect(catalogue.entries(named: spelling).map(\.fullName) == ["Auth:signIn"], "\(spelling)")
    }
  }

  @Test func `the client's function comes first, and others of its name are named`() async throws {
    let catalogue = try await Catalogue.shared
    let made = try #require(catalogue.text(of: "createUser"))
    #expect(made.hasPrefix("auth:createUser("))
    #expect(made.contains("\nOthers of that name\n"))
    #expect(made.contains("  Admin:createUser"))
    #expect(catalogue.text(of: "signIn")?.hasPrefix("auth:signIn(") == true)
    #expect(catalogue.text(of: "link")?.hasPrefix("user:link(") == true)
  }

  @Test(arguments: [
    ("auth.currentUser:link", "user:link("), ("auth.currentUser.link", "user:link("),
    ("Auth.auth().currentUser:link()", "user:link("), ("luath.auth.Auth:signIn", "auth:signIn("),
    ("err.pendingCredential", "pendingCredential: Credential?\n  field of AuthError\n"),
    ("err.resolver:resolveSignIn", "resolver:resolveSignIn("),
    ("result.user:getIDToken", "user:getIDToken("), ("result.lost", "lost: string[]\n"),
    ("luath.auth.User", "User\n"), ("signin", "auth:signIn("), ("SIGNIN", "auth:signIn("),
    ("EmailAuthProvider", "luath.auth.EmailAuthProvider\n  table of luath.auth\n"),
    ("Auth.EmailAuthProvider", "luath.auth.EmailAuthProvider\n"),
    ("luath.auth.EmailAuthProvider", "luath.auth.EmailAuthProvider\n"),
  ])
  func `a name is understood as scripts write it`(_ name: String, _ start: String) async throws {
    let text = try await Catalogue.shared.explanation(of: name)
    #expect(text?.hasPrefix(start) == true, "\(name): \(text?.prefix(60) ?? "nothing")")
  }

  @Test func `a table is explained by what it has`() async throws {
    let text = try #require(try await Catalogue.shared.explanation(of: "EmailAuthProvider"))
    for member in ["id: string", "credential(email, password)", "credentialWithLink(email, link)"] {
      #expect(text.contains("  Auth.EmailAuthProvider.\(member)\n"), "\(member)")
    }
  }

  @Test func `what only an argument tells of is found`() async throws {
    let found = try await Catalogue.shared.mentions(of: "microsoft.com")
    #expect(found?.hasPrefix("What mentions it:\n  luath.auth.OAuthProvider ") == true)
  }

  @Test func `a name of Lua itself leads to its manual, beside ours of that name`() async throws {
    let catalogue = try await Catalogue.shared
    let manual = "https://www.lua.org/manual/5.4/manual.html#"
    for (name, anchor) in [
      ("print", "pdf-print"), ("string.format", "pdf-string.format"), ("utf8", "6.5"),
    ] {
      #expect(
        catalogue.explanation(of: name) == "\(name)\n  of Lua itself\n\n  \(manual)\(anchor)\n")
    }
    let error = try #require(catalogue.explanation(of: "error"))
    #expect(error.hasPrefix("error: AuthError\n"))
    #expect(error.hasSuffix("\nLua itself has error too: \(manual)pdf-error\n"))
    #expect(catalogue.explanation(of: "string.nothing") == nil)
  }

  @Test(arguments: [
    ("createUzer", "createUser"), ("EmailAuthProvidr", "EmailAuthProvider"),
    ("Auth.ErrorCode.weakPasswort", "weakPassword"),
  ])
  func `a name that is near is no explanation`(_ name: String, _ near: String) async throws {
    let catalogue = try await Catalogue.shared
    #expect(catalogue.explanation(of: name) == nil)
    #expect(catalogue.mentions(of: name) == nil)
    #expect(catalogue.nearest(to: name) == near)
  }

  @Test(arguments: [
    "weakPassword", "WEAK_PASSWORD", "ERROR_WEAK_PASSWORD", "auth/weak-password", "17026",
    "Auth.ErrorCode.weakPassword", "WEAK_PASSWORD : Password should be at least 6 characters",
    "Firebase: Password should be at least 6 characters (auth/weak-password).",
  ])
  func `an error is explained by each of its names`(_ name: String) async throws {
    let text = try #require(try await Catalogue.shared.text(of: name))
    #expect(text.hasPrefix("weakPassword\n  error code\n\n  The password is too weak.\n"))
    #expect(text.contains("\nWhat to do\n  Choose a password of at least six characters.\n"))
    #expect(text.contains("  Auth:createUser"))
  }

  @Test func `every error is explained, by the names that servers have too, and found by words`()
    async throws
  {
    let catalogue = try await Catalogue.shared
    for code in ErrorCode.allCases {
      let text = catalogue.text(of: code.rawValue)
      #expect(text?.contains("\(code.rawValue)\n  error code\n") == true, "\(code)")
    }
    for refusal in ServerError.allCases {
      let text = catalogue.text(of: refusal.rawValue)
      #expect(text?.contains("\(refusal.code.rawValue)\n  error code\n") == true, "\(refusal)")
    }
    let found = catalogue.apropos("weak password")
    #expect(found?.contains("Errors about it:\n  weakPassword") == true)
    #expect(catalogue.text(of: "weakPasword")?.contains("did you mean weakPassword?") == true)
  }

  @Test func `names of the SDKs that luath lacks have the line to write`() async throws {
    let catalogue = try await Catalogue.shared
    for (name, line) in [
      ("OAuthCredential", "write result.credential.accessToken"), ("NSLog", "write print("),
      ("getRedirectResult", "local result = Auth.signInWithRedirect(auth, provider)"),
    ] {
      #expect(catalogue.explanation(of: name)?.contains(line) == true, "\(name)")
    }
    for word in ["oid", "JWT", "claims"] {
      #expect(catalogue.text(of: word)?.contains("crypto.claims") == true, "\(word)")
    }
    #expect(catalogue.text(of: "oid")?.contains("OIDCClient") == false)
  }

  @Test func `each full name, and each name in a table of a module, finds its own entry first`()
    async throws
  {
    let catalogue = try await Catalogue.shared
    for entry in catalogue.pages.flatMap(\.entries) where entry.current == nil {
      let names = [entry.fullName] + (entry.name.contains(".") ? [entry.name] : [])
      for name in names {
        let found = catalogue.entries(named: name).first
        #expect(found?.fullName == entry.fullName, "\(name)")
      }
    }
    let function = catalogue.explanation(of: "OAuthProvider.credential") ?? ""
    #expect(function.hasPrefix("Auth.OAuthProvider.credential(providerID"))
    let method = catalogue.explanation(of: "OAuthProvider:credential") ?? ""
    #expect(method.hasPrefix("provider:credential("))
  }
}
