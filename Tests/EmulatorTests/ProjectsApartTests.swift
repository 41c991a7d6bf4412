@testable import System
@testable import HTTP
import Testing

@testable import Emulator

/// What one project has, no call in the name of another one finds or changes.
@Suite(.timeLimit(.minutes(1))) struct ProjectsApartTests {
  private static let keys: [JSON] = [
    ["localId": ["ada"]], ["email": ["ada@x.example"]], ["phoneNumber": ["+16505550101"]],
    ["federatedUserId": [["providerId": "google.com", "rawId": "g1"]]],
  ]

  private func ask(
    _ fixture: Fixture, _ path: String, _ body: JSON
  ) async throws -> Fixture.Reply {
    try await fixture.post(
      "identitytoolkit.googleapis.com/v1/\(path)", body, key: nil,
      headers: ["Authorization": "Bearer owner"])
  }

  private func fill(_ fixture: Fixture, _ place: String) async throws {
    let upload: JSON = [
      "users": [
        [
          "localId": "ada", "email": "ada@x.example", "phoneNumber": "+16505550101",
          "providerUserInfo": [["providerId": "google.com", "rawId": "g1"]],
        ]
      ]
    ]
    let made = try await ask(fixture, "\(place)/accounts:batchCreate", upload)
    try #require(made.status == 200 && made["error"]?.array?.isEmpty != false, "\(made.message)")
  }

  @Test(arguments: [Rules.production, .compatible])
  func `no key finds another project's or tenant's account`(_ rules: Rules) async throws {
    try await Fixture.run(rules: rules) { fixture in
      let tenant = try await fixture.post(
        "identitytoolkit.googleapis.com/v2/projects/one/tenants", ["displayName": "north"],
        key: nil,
        headers: ["Authorization": "Bearer owner"])
      let id = try #require(tenant["name"]?.string)
        .split(separator: "/").last.map(String.init)
      let places = ["projects/one", "projects/one/tenants/\(id ?? "")", "projects/one%2Ftenants"]
      for filled in places {
        try await fill(fixture, filled)
        for place in places {
          for key in Self.keys {
            let found = try await ask(fixture, "\(place)/accounts:lookup", key)
            let isThere = found["users"]?.array?.isEmpty == false
            #expect(isThere == (place == filled), "\(key) of \(filled) in \(place)")
          }
          let deleted = try await ask(fixture, "\(place)/accounts:delete", ["localId": "ada"])
          #expect((deleted.status == 200) == (place == filled))
          if place == filled { try await fill(fixture, filled) }
        }
        _ = try await ask(fixture, "\(filled)/accounts:delete", ["localId": "ada"])
      }
    }
  }

  @Test(arguments: [Rules.production, .compatible])
  func `tokens and letters of one project are none of another`(_ rules: Rules) async throws {
    try await Fixture.run(rules: rules) { fixture in
      let ada = try await fixture.signUp("ada@x.example")
      let token = ada["idToken"] ?? nil
      let sent = try await ask(
        fixture, "projects/demo-luath/accounts:sendOobCode",
        ["requestType": "PASSWORD_RESET", "email": "ada@x.example"])
      try #require(sent.status == 200, "\(sent.message)")
      #expect(
        try await fixture.request("GET", "emulator/v1/projects/other/oobCodes")["oobCodes"]?.array
          == [])
      for operation in ["update", "delete"] {
        let refused = try await ask(
          fixture, "projects/other/accounts:\(operation)",
          ["idToken": token, "localId": ada["localId"] ?? nil, "displayName": "taken"])
        #expect(refused.status == 400)
      }
      #expect(try await fixture.user(token)["displayName"] == nil)
    }
  }
}
