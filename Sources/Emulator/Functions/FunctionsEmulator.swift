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
