@testable import System
import Testing

@testable import Batch

@Suite(.timeLimit(.minutes(1))) struct PlannerTests {
  private static let ada: JSON = [
    "uid": "ada", "email": "ada@example.com", "emailVerified": true,
    "metadata": ["creationTime": 1000],
    "providerData": [["providerID": "google.com", "uid": "g-ada", "email": "ada@example.com"]],
  ]
  private static let bo: JSON = [
    "uid": "bo", "email": "bo@example.com", "phoneNumber": "+4915112345678",
    "providerData": [["providerID": "microsoft.com", "uid": "m-bo"]],
  ]

  @Test func `rows become operations, skips and refusals, in their order`() async throws {
    let runner = PlanRunner(accounts: [Self.ada, Self.bo])
    let result = try await runner.plan(
      luaProgram("Planner/link"),
      [
        ["uid": "ada", "id": "m-ada"], ["uid": "bo", "id": "m-2"], ["uid": "cy", "id": "m-3"],
        "bad quote",
      ])
    #expect(result.problem == nil)
    #expect(result.rows.map(\.number) == [1, 2, 3, 4])
    #expect(
      result.operations(1) == [
        #"{"op":"link","uid":"ada","providerId":"microsoft.com","rawId":"m-ada"}"#
      ])
    #expect(result.rows[0].reason == "from the list")
    #expect(result.rows[0].key == "ada")
    #expect(result.isSkipped(2))
    #expect(result.rows[1].reason == "linked already")
    #expect(result.fault(3) == RowFailure("noAccount", "nobody has cy"))
    #expect(result.fault(4) == RowFailure("malformedRow", "bad quote"))
    #expect(result.summary.operations == ["link": 1])
    #expect(result.isUnchanged)
  }

  @Test func `the identity of a link is looked up, also when the script does not`() async throws {
    let runner = PlanRunner(accounts: [Self.ada, Self.bo])
    let result = try await runner.plan(luaProgram("Planner/link"), [["uid": "ada", "id": "m-bo"]])
    #expect(
      result.fault(1)
        == RowFailure(
          "credentialAlreadyInUse", "m-bo of microsoft.com is on the account bo already"))
  }

  @Test func `a phone number is found in any spelling that the backend takes`() async throws {
    let script = """
      local batch = require "luath.batch"
      return batch.define {
        plan = function(row, accounts)
          local found = accounts:byPhone(row.phone)
          return batch.skip(found and found.uid or "nobody")
        end,
      }
      """
    let result = try await PlanRunner(accounts: [Self.ada, Self.bo]).plan(
      script,
      [
        ["phone": "+4915112345678"], ["phone": "+49 151 1234-5678"],
        ["phone": "+49 (151) 12345678"],
        ["phone": "+49 151 1234-5679"],
      ])
    #expect(result.rows.map(\.reason) == ["bo", "bo", "bo", "nobody"])
  }

  @Test func `a mistake in one row refuses that row with its line`() async throws {
    let result = try await PlanRunner().plan(
      luaProgram("Planner/mistakes"), [["n": 1], ["n": 2], ["n": 3], ["n": 4]])
    #expect(result.isSkipped(1) && result.isSkipped(4))
    #expect(result.fault(2)?.code == "scriptError")
    #expect(result.fault(2)?.message.hasPrefix("plan.lua:3: attempt to perform arithmetic") == true)
    #expect(result.fault(3)?.code == "odd")
    #expect(result.fault(3)?.message.hasSuffix("three is odd") == true)
  }
}
