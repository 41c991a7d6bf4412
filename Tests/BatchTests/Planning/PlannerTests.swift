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

  private static let link = """
    local batch = require "luath.batch"
    return batch.define {
      columns = { "uid", "id" },
      key = "uid",
      plan = function(row, accounts)
        local account = accounts:byUID(row.uid)
        if not account then return batch.refuse("noAccount", "nobody has " .. row.uid) end
        for _, info in ipairs(account.providerData) do
          if info.providerID == "microsoft.com" then return nil, "linked already" end
        end
        return batch.link { uid = account, providerId = "microsoft.com", rawId = row.id }, "from the list"
      end,
    }
    """

  @Test func `rows become operations, skips and refusals, in their order`() async throws {
    let runner = PlanRunner(accounts: [Self.ada, Self.bo])
    let result = try await runner.plan(
      Self.link,
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
    let result = try await runner.plan(Self.link, [["uid": "ada", "id": "m-bo"]])
    #expect(
      result.fault(1)
        == RowFailure(
          "credentialAlreadyInUse", "m-bo of microsoft.com is on the account bo already"))
  }

  @Test func `a mistake in one row refuses that row with its line`() async throws {
    let result = try await PlanRunner().plan(
      """
      local batch = require "luath.batch"
      return batch.define { plan = function(row)
        if row.n == 2 then local x = nil + 1 end
        if row.n == 3 then error { code = "odd", message = "three is odd" } end
        return nil, "nothing"
      end }
      """, [["n": 1], ["n": 2], ["n": 3], ["n": 4]])
    #expect(result.isSkipped(1) && result.isSkipped(4))
    #expect(result.fault(2)?.code == "scriptError")
    #expect(result.fault(2)?.message.hasPrefix("plan.lua:3: attempt to perform arithmetic") == true)
    #expect(result.fault(3)?.code == "odd")
    #expect(result.fault(3)?.message.hasSuffix("three is odd") == true)
  }
}
