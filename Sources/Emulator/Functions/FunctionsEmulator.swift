internal import Encoding
internal import HTTP
internal import OIDC

/// Firebase's Functions emulator, which runs functions when accounts come and go.
///
/// It lives on the emulator's loop.
final class FunctionsEmulator {
  private let origin: WebURL
  private let client: HTTPClient

  init(origin: WebURL, client: HTTPClient) {
    self.origin = origin
    self.client = client
  }

  /// Sends an event and does not wait; `lost` hears when it did not arrive.
  func send(
    _ event: AccountEvent, of project: String, at milliseconds: Int64, data: JSONObject,
    lost: @escaping () -> Void
  ) {
    let path = "/functions/projects/\(PercentEncoding.encode(project))/trigger_multicast"
    guard let url = WebURL(origin.origin + path) else { return lost() }
    let body: JSON = [
      "eventId": .string(Self.eventID()),
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

  /// A random UUID (RFC 9562 section 5.4).
  private static func eventID() -> String {
    var bytes = SecureRandom.bytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
