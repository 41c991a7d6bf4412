@testable import System
@testable import HTTP
import Testing

@testable import IdentityToolkit

/// What a guard of projects reads from requests.
@Suite struct ProjectCallTests {
  private func call(
    _ method: String, _ address: String, _ body: JSON = [:], headers: HTTPHeaders = [:]
  ) throws -> ProjectCall? {
    var request = HTTPRequest(
      method: method, url: try #require(WebURL(address)), headers: headers)
    request.body = body.encodedBytes()
    return ProjectCall(request)
  }

  @Test(arguments: Endpoint.allCases)
  func `the table of endpoints decides, at both interfaces`(_ endpoint: Endpoint) throws {
    var addresses = ["https://\(endpoint.service.host)/\(endpoint.path)?key=k"]
    if let verb = endpoint.legacyVerb {
      addresses.append("https://www.googleapis.com/identitytoolkit/v3/relyingparty/\(verb)?key=k")
    }
    for address in addresses {
      let found = try #require(try call(endpoint.method, address, ["newPassword": "p"]))
      #expect(found.changes == (endpoint.effect != .reads), "\(address)")
    }
  }

  @Test func `an unknown operation is a change`() throws {
    let host = "https://identitytoolkit.googleapis.com"
    for (method, address) in [
      ("POST", "\(host)/v1/accounts:new"), ("DELETE", "\(host)/v1/accounts:lookup"),
      ("POST", "\(host)/v1/projects"), ("POST", "\(host)/batch"),
      ("POST", "https://www.googleapis.com/batch/identitytoolkit/v3"),
      ("POST", "https://identitytoolkit.googleapis.com./v1/accounts:update"),
      ("POST", "https://staging-identitytoolkit.sandbox.googleapis.com/v1/accounts:update"),
    ] {
      #expect(try #require(try call(method, address)).changes, "\(method) \(address)")
    }
    let override: HTTPHeaders = ["X-HTTP-Method-Override": "POST"]
    #expect(try call("GET", "\(host)/v1/projects", headers: override)?.changes == true)
    #expect(try call("POST", "\(host)/v1/accounts:lookup", headers: override)?.changes == true)
  }

  @Test func `looking at a code of an e-mail is no change, in no spelling of a new password`()
    throws
  {
    let address = "https://identitytoolkit.googleapis.com/v1/accounts:resetPassword"
    #expect(try call("POST", "\(address)?key=k", ["oobCode": "c"])?.changes == false)
    #expect(try call("POST", address, ["oobCode": "c", "new_password": "p"])?.changes == true)
    #expect(try call("POST", "\(address)?newPassword=p", ["oobCode": "c"])?.changes == true)
    #expect(try call("POST", address, "no object")?.changes == true)
  }

  @Test func `the project is read from the address, or from an administrator's body`() throws {
    let host = "https://identitytoolkit.googleapis.com"
    let named = try call("POST", "\(host)/v1/projects/shop%2D1/accounts:update")
    #expect(named?.name == "accounts:update")
    #expect(named?.projectID == "shop-1")
    let cookie = try call("POST", "\(host)/v1/projects/shop-1:createSessionCookie")
    #expect(cookie?.projectID == "shop-1")
    let body: JSON = ["targetProjectId": "shop-2"]
    #expect(try call("POST", "\(host)/v1/accounts:signUp", body)?.projectID == "shop-2")
    #expect(try call("POST", "\(host)/v1/accounts:signUp")?.projectID == nil)
  }

  @Test func `other hosts concern no project`() throws {
    for address in [
      "https://oauth2.googleapis.com/token", "https://example.com/v1/accounts:signUp",
      "https://www.googleapis.com/oauth2/v4/token", "http://127.0.0.1:9099/x",
    ] {
      #expect(try call("POST", address) == nil)
    }
  }
}
