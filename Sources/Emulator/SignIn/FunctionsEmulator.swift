internal import System
internal import HTTP
internal import OIDC

/// Firebase's Functions emulator, which runs functions when accounts are created or deleted.
///
/// Used on the emulator's loop only.
final class FunctionsEmulator {
  private let origin: WebURL
  private let client: HTTPClient

  init(origin: WebURL, client: HTTPClient) {
    self.origin = origin
    self.client = client
  }

  /// Sends an event without waiting; calls `lost` if it was not delivered.
  func send(
    _ event: AccountEvent, of project: String, at milliseconds: Int64, data: JSONObject,
    lost: @escaping () -> Void
  ) {
    let path = "/functions/projects/\(PercentEncoding.encode(project))/trigger_multicast"
    guard let url = WebURL(origin.origin + path) else { return lost() }
    let body: JSON = [
      "eventId": .string(SecureRandom.uuid()),
      "eventType": .string("providers/firebase.auth/eventTypes/user.\(event.rawValue)"),
      "resource": [
        "name": .string("projects/\(project)"), "service": "firebaseauth.googleapis.com",
      ],
      "params": [:], "timestamp": .string(Timestamp.text(milliseconds: milliseconds)),
      "data": .object(data),
    ]
    _ = client.begin(.post(url, json: body)) { result in
      if case .success(let response) = result, response.status == 200 { return }
      lost()
    }
  }
}

/// The events that trigger background functions.
enum AccountEvent: String {
  case create
  case delete
}

extension Backend {
  /// Stores a new account and triggers the background functions for it.
  func add(_ account: inout Account) {
    accounts.save(&account)
    announce(.create, account)
  }

  /// Deletes an account with its sessions and triggers the background functions for it.
  func remove(_ account: Account) {
    accounts.remove(uid: account.uid)
    // Entries of earlier seconds are not needed: the sessions of an account that gets the uid later begin later anyway.
    if justRemovedSince != now {
      justRemovedSince = now
      justRemoved = justRemoved.filter { $0.value >= now }
    }
    if account.newestSession >= now {
      justRemoved[ExactString(string: account.uid)] = account.newestSession
    }
    sessions.revoke(uid: account.uid)
    announce(.delete, account)
  }

  private func announce(_ event: AccountEvent, _ account: Account) {
    guard let functions = context.functions else { return }
    let context = context
    functions.send(
      event, of: project.id, at: nowMilliseconds, data: eventData(of: account)
    ) {
      context.notices?("The Functions emulator was not reached; no function ran.")
    }
  }

  private func eventData(of account: Account) -> JSONObject {
    var data: JSONObject = ["uid": .string(account.uid)]
    data.set("email", account.email)
    data.set("emailVerified", account.emailVerified)
    data.set("displayName", account.displayName)
    data.set("photoURL", account.photoURL)
    data.set("phoneNumber", account.phoneNumber)
    data.set("disabled", account.disabled)
    var times = JSONObject()
    times.set("creationTime", account.createdAt.map(Timestamp.text(milliseconds:)))
    times.set("lastSignInTime", account.lastLoginAt.map(Timestamp.text(milliseconds:)))
    data["metadata"] = .object(times)
    data["customClaims"] = .object(account.customClaims)
    if !account.providers.isEmpty {
      data["providerData"] = .array(account.providers.map(Self.userInfo(of:)))
    }
    data.set("tenantId", tenantID)
    if let factors = account.factors { data["mfaInfo"] = .array(factors.map { $0.wire(rules) }) }
    return data
  }

  /// A sign-in method as background functions see it: their `UserInfo` has other names than Google's API.
  private static func userInfo(of identity: LinkedIdentity) -> JSON {
    guard case .object(var entry) = identity.wire else { return identity.wire }
    entry["uid"] = .string(identity.rawID)
    entry["photoUrl"] = nil
    entry.set("photoURL", identity.photoURL)
    return .object(entry)
  }
}
