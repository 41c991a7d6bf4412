@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite("What a change of settings sends", .timeLimit(.minutes(1)))
struct SettingsMaskTests {
  /// The mask and the body of the only change that was sent.
  private func change(of signer: Signer) throws -> (mask: Set<String>, body: JSON) {
    let request = try #require(signer.sent.last { $0.method == "PATCH" })
    let mask = try #require(request.url.fields["updateMask"])
    return (Set(mask.split(separator: ",").map(String.init)), try JSON.parse(request.body))
  }

  @Test func `the mask names what was given, and nothing else`() async throws {
    let signer = try Signer()
    _ = try await signer.admin().updateTenant(
      "red",
      [
        "displayName": "Red", "emailSignInConfig": ["passwordRequired": false],
        "multiFactorConfig": ["factorIDs": ["phone"]], "testPhoneNumbers": ["+1": "123456"],
        "passwordPolicyConfig": ["enforcementState": "ENFORCE", "constraints": ["minLength": 9]],
        "smsRegionConfig": ["allowlistOnly": ["allowedRegions": ["GB"]]],
        "client": ["permissions": ["disabledUserSignup": true]],
      ])
    let sent = try change(of: signer)
    #expect(
      sent.mask == [
        "displayName", "enableEmailLinkSignin", "mfaConfig.enabledProviders", "testPhoneNumbers",
        "passwordPolicyConfig.passwordPolicyEnforcementState",
        "passwordPolicyConfig.passwordPolicyVersions", "smsRegionConfig",
        "client.permissions.disabledUserSignup",
      ])
    #expect(
      sent.body == [
        "displayName": "Red", "enableEmailLinkSignin": true,
        "mfaConfig": ["enabledProviders": ["PHONE_SMS"]], "testPhoneNumbers": ["+1": "123456"],
        "passwordPolicyConfig": [
          "passwordPolicyEnforcementState": "ENFORCE",
          "passwordPolicyVersions": [["customStrengthOptions": ["minPasswordLength": 9]]],
        ],
        "smsRegionConfig": ["allowlistOnly": ["allowedRegions": ["GB"]]],
        "client": ["permissions": ["disabledUserSignup": true]],
      ])
    #expect(signer.sent.last?.url.path.hasSuffix("/v2/projects/demo-signer/tenants/red") == true)
  }

  @Test(arguments: [false, nil] as [JSON])
  func `a setting is cleared by false or null`(nothing: JSON) async throws {
    let signer = try Signer()
    _ = try await signer.admin().updateProviderConfig(
      "saml.peer", ["displayName": nothing, "x509Certificates": nothing, "callbackURL": nothing])
    let sent = try change(of: signer)
    #expect(sent.mask == ["displayName", "idpConfig.idpCertificates", "spConfig.callbackUri"])
    #expect(
      sent.body == [
        "displayName": "", "idpConfig": ["idpCertificates": []], "spConfig": ["callbackUri": ""],
      ])
    _ = try await signer.admin().updateProjectConfig([
      "recaptchaConfig": nothing, "multiFactorConfig": ["providerConfigs": nothing],
    ])
    let project = try change(of: signer)
    #expect(project.mask == ["recaptchaConfig", "mfa.providerConfigs"])
    #expect(project.body == ["recaptchaConfig": [:], "mfa": ["providerConfigs": []]])
  }

  @Test func `a change of nothing is none`() async throws {
    let signer = try Signer()
    let admin = try signer.admin()
    _ = try await admin.updateTenant("red", [:])
    _ = try await admin.updateTenant("red", ["emailSignInConfig": [:]])
    _ = try await admin.updateProjectConfig([:])
    _ = try await admin.updateProviderConfig("oidc.peer", [:])
    #expect(signer.sent.allSatisfy { $0.method != "PATCH" })
  }

  @Test func `a flag must be one, as clearing it would be a guess`() async throws {
    let admin = try Signer().admin()
    for settings in [
      ["anonymousSignInEnabled": nil], ["anonymousSignInEnabled": "true"],
      ["emailSignInConfig": ["enabled": 1]], ["passwordPolicyConfig": ["constraints": [1]]],
      ["passwordPolicyConfig": ["constraints": ["minLength": 8.5]]], ["displayName": 7],
      ["testPhoneNumbers": ["+1": 1]], ["multiFactorConfig": ["providerConfigs": [false]]],
      ["multiFactorConfig": ["factorIDs": ["phone", 7]]],
      ["recaptchaConfig": ["managedRules": [["endScore": "high"]]]], ["nothing": 1],
    ] as [JSONObject] {
      let error = await #expect(throws: AdminError.self) {
        try await admin.createTenant(settings)
      }
      #expect(error?.code == .invalidArgument)
      #expect(error?.message.hasPrefix("settings") == true)
    }
  }
}
