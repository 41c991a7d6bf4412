@testable import Emulator
@testable import System
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ProjectConfigurationTests {
  @Test func `an empty table is the demo project`() throws {
    let project = try ProjectConfiguration(json: [:])
    #expect(project.id == "demo-luath")
    #expect(project.people.map(\.email) == ProjectConfiguration.demo.people.map(\.email))
    #expect(project.enabledProvider("microsoft.com") != nil)
  }

  @Test func `anyone is admitted beside the people of the demo`() throws {
    let project = try ProjectConfiguration(json: [
      "people": "any", "providers": ["oidc.a": ["issuerName": "https://auth.example.com"]],
    ])
    #expect(project.admitsAnyone && project.people.count == ProjectConfiguration.demo.people.count)
    #expect(project.issuers == ["https://auth.example.com": "/oidc/a"])
    #expect(!ProjectConfiguration.demo.admitsAnyone)
  }

  @Test func `every key is read`() throws {
    let project = try ProjectConfiguration(json: [
      "id": "shop-1", "apiKey": "K", "port": 9099, "oneAccountPerEmail": false,
      "enumerationProtection": false,
      "identityPlatform": false, "authorizedDomains": ["app.example"],
      "authDomain": "shop.firebaseapp.com", "recentLoginMinutes": 1,
      "providers": [
        "password": ["enabled": false],
        "yahoo.com": ["clientId": "Y", "clientSecret": "S", "permissions": ["mail-r"]],
        "oidc.corp": ["clientId": "C", "issuer": "https://id.corp.example", "flow": "idToken"],
      ],
      "people": [
        [
          "email": "ada@contoso.example", "name": "Ada", "password": "pw",
          "microsoft": ["tenant": "contoso.example"], "yahoo": ["id": "YID"],
          "oidc": ["corp": "sub-1"], "providers": ["yahoo.com"], "emailVerified": false,
        ]
      ],
    ])
    #expect(project.id == "shop-1")
    #expect(project.apiKey == Secret("K"))
    #expect(!project.oneAccountPerEmail && project.enumerationProtection == false)
    #expect(!project.identityPlatform)
    #expect(project.authorizedDomains == ["app.example"])
    #expect(project.recentLoginMinutes == 1)
    #expect(project.enabledProvider("password") == nil)
    #expect(project.providers["microsoft.com"] == nil)
    #expect(project.providers["yahoo.com"]?.permissions == ["mail-r"])
    let corp = try #require(project.providers["oidc.corp"])
    #expect(corp.issuer == "https://id.corp.example")
    #expect(corp.flow == .idToken)
    #expect(corp.clientSecret == nil)
    let ada = try #require(project.people.first)
    #expect(ada.subject(at: "yahoo.com") == "YID")
    #expect(ada.subject(at: "oidc.corp") == "sub-1")
    #expect(ada.isKnown(to: "yahoo.com") && !ada.isKnown(to: "google.com"))
    #expect(!ada.isEmailVerified)
    #expect(ada.subject(at: "microsoft.com") == ada.microsoft.oid)
  }

  /// A mistake, the place it must name, and a word of the message or hint.
  static let mistakes: [(JSON, [String], String)] = [
    ([1], [], "expected a table"),
    (["enumerationProtecton": true], ["enumerationProtecton"], "\"enumerationProtection\""),
    (["id": "Bad Id"], ["id"], "project id"),
    (["id": 5], ["id"], "expected a string"),
    (["apiKey": ""], ["apiKey"], "empty"),
    (["oneAccountPerEmail": "yes"], ["oneAccountPerEmail"], "expected a boolean"),
    (["recentLoginMinutes": -1], ["recentLoginMinutes"], "must be from"),
    (["recentLoginMinutes": 1.5], ["recentLoginMinutes"], "whole number"),
    (["authorizedDomains": ["a", 1]], ["authorizedDomains", "2"], "expected a string"),
    (["allowOrigins": ["https://a.example/x"]], ["allowOrigins", "1"], "https://app.example:8443"),
    (["allowOrigins": ["*", "null"]], ["allowOrigins", "2"], "not an origin"),
    (["port": 0], ["port"], "must be from 1 to 65535, got 0"),
    (["port": -1], ["port"], "must be from 1 to 65535, got -1"),
    (["port": 65536], ["port"], "must be from 1 to 65535, got 65536"),
    (["port": "9099"], ["port"], "expected"),
    (["allowServers": ["app.example"]], ["allowServers", "1"], "not an origin"),
    (["providers": ["microsft.com": [:]]], ["providers", "microsft.com"], "\"microsoft.com\""),
    (["providers": ["oidc.": [:]]], ["providers", "oidc."], "OIDC provider id"),
    (
      ["providers": ["password": ["clientId": "x"]]], ["providers", "password", "clientId"],
      "unknown"
    ),
    (["providers": ["password": true]], ["providers", "password"], "expected a table"),
    (["providers": ["oidc.a": ["flow": "implicit"]]], ["providers", "oidc.a", "flow"], "idToken"),
    (
      ["providers": ["oidc.a": ["issuer": "corp"]]], ["providers", "oidc.a", "issuer"], "issuer URL"
    ),
    (
      ["providers": ["oidc.a": ["issuer": "https://x.example"]]],
      ["providers", "oidc.a", "clientId"], "missing"
    ),
    (["people": [["name": "Ada"]]], ["people", "1", "email"], "missing"),
    (["people": [["email": "ada"]]], ["people", "1", "email"], "e-mail"),
    (
      ["people": [["email": "a@b.example"], ["email": "A@b.example"]]], ["people", "2", "email"],
      "share"
    ),
    (
      ["people": [["email": "a@b.example", "providers": ["yaho.com"]]]],
      ["people", "1", "providers", "1"], "\"yahoo.com\""
    ),
    (
      ["people": [["email": "a@b.example", "microsoft": ["oid": "12"]]]],
      ["people", "1", "microsoft", "oid"], "GUID"
    ),
    (["people": "some"], ["people"], "any"),
    (
      ["providers": ["oidc.a": ["issuerName": "corp"]]], ["providers", "oidc.a", "issuerName"],
      "issuer URL"
    ),
    (
      [
        "providers": [
          "oidc.a": [
            "issuerName": "https://a.example", "issuer": "https://b.example", "clientId": "c",
          ]
        ]
      ], ["providers", "oidc.a", "issuerName"], "one of the two"
    ),
  ]

  @Test(arguments: mistakes.indices)
  func `a mistake is named with its place`(index: Int) throws {
    let (json, path, word) = Self.mistakes[index]
    do throws(ConfigurationError) {
      _ = try ProjectConfiguration(json: json)
      Issue.record("nothing was refused")
    } catch {
      #expect(error.path == path)
      #expect(error.description.contains(word))
    }
  }

  @Test func `a personal Microsoft id is the tail of its padded oid`() {
    let personal = MicrosoftAccount(email: "alan@outlook.example")
    #expect(personal.graphID.utf8.count == 16)
    #expect(personal.oid.hasPrefix("00000000-0000-0000-"))
    #expect(personal.oid.filter { $0 != "-" }.hasSuffix(personal.graphID))
    let work = MicrosoftAccount(email: "ada@contoso.example", tenant: "contoso.example")
    #expect(work.graphID == work.oid)
    #expect(work.oid == MicrosoftAccount(email: "ada@contoso.example", tenant: "x.example").oid)
  }

  @Test func `secrets do not show`() {
    var text = ""
    dump(ProjectConfiguration.demo, to: &text)
    #expect(!text.contains(ProjectConfiguration.demoPassword))
    #expect(!text.contains("luath-secret"))
  }
}
