internal import System
internal import IdentityToolkit

extension Backend {
  /// Carries out an operation; nil if it may have to wait for another server, which `performWaiting` does.
  func perform(_ call: Call) throws(Refusal) -> JSONObject? {
    if call.operation.needsOpenTenant(rules) { try requireOpen() }
    switch call.operation {
    case .batchCreate: return try batchCreate(call)
    case .batchDelete: return try batchDelete(call)
    case .batchGet: return try batchGet(call)
    case .query: return try query(call)
    case .createSessionCookie: return try createSessionCookie(call)
    case .getConfig: return try config()
    case .updateConfig: return try updateConfig(call)
    case .createTenant: return try createTenant(call)
    case .deleteTenant: return try deleteTenant()
    case .getTenant: return try showTenant()
    case .listTenants: return try listTenants(call)
    case .updateTenant: return try updateTenant(call)
    case .createAuthUri, .signInWithIdp, .signUp, .signInWithPassword, .signInWithEmailLink,
      .signInWithPhoneNumber, .finalizeMFASignIn:
      return nil
    case .sendOobCode: return asksFunctions(.sendOobCode) ? nil : try sendOobCode(call)
    case .resetPassword: return try resetPassword(call)
    case .sendVerificationCode, .startMFAEnrollment, .startMFASignIn:
      return asksFunctions(call.operation) ? nil : try sendSMS(call)
    case .finalizeMFAEnrollment: return try finalizeMFAEnrollment(call)
    case .withdrawMFA: return try withdrawMFA(call)
    case .startPasskeyEnrollment: return try startPasskeyEnrollment(call)
    case .finalizePasskeyEnrollment: return try finalizePasskeyEnrollment(call)
    case .startPasskeySignIn: return try startPasskeySignIn(call)
    case .finalizePasskeySignIn: return try finalizePasskeySignIn(call)
    case .signInWithCustomToken: return try signInWithCustomToken(call)
    case .lookup: return try lookup(call)
    case .update: return try update(call)
    case .delete: return try delete(call)
    case .token: return try refresh(call)
    case .projectInfo: return try projectInfo()
    case .recaptchaParams: return recaptchaParams()
    case .createIdp: return try createIdentityProvider(call)
    case .deleteIdp: return try deleteIdentityProvider(call)
    case .getIdp: return try showIdentityProvider(call)
    case .listIdps: return try listIdentityProviders(call)
    case .updateIdp: return try updateIdentityProvider(call)
    case .supportedIdps: return listSupportedProviders()
    case .initializeAuth: return try initializeAuth()
    case .passwordPolicy: return passwordPolicy.wire
    case .recaptchaConfig: return try showRecaptchaConfig(call)
    case .revokeToken: return try revokeProviderToken(call)
    case .sessionCookieKeys: return try showSessionCookieKeys()
    }
  }

  func performWaiting(_ call: Call) async throws(Refusal) -> JSONObject {
    switch call.operation {
    case .createAuthUri: try await createAuthUri(call)
    case .signInWithIdp: try await signInWithIdp(call)
    case .signInWithPassword: try await signInWithPassword(call)
    case .signInWithEmailLink: try await signInWithEmailLink(call)
    case .signInWithPhoneNumber: try await signInWithPhoneNumber(call)
    case .signUp: try await signUp(call)
    case .finalizeMFASignIn: try await finalizeMFASignIn(call)
    case .sendOobCode: try await sendOobCodeIfAllowed(call)
    case .sendVerificationCode, .startMFAEnrollment, .startMFASignIn:
      try await sendSMSIfAllowed(call)
    default: throw .internalFailure("\(call.operation) does not wait")
    }
  }

  /// Whether the operation calls an identity provider or one of the project's functions over the network.
  func asksOthers(_ call: Call) -> Bool {
    if asksFunctions(call.operation) { return true }
    return rules[.realProviders]
      && (call.operation == .createAuthUri || call.operation == .signInWithIdp)
  }
}
