import System
import Glibc

private let request = Array(
  #"{"email":"ada.lovelace@contoso.example","password":"correct horse battery","returnSecureToken":true}"#
    .utf8)

/// Prints what reading and writing a small and a large document and encoding a token cost.
func measureCodecs() {
  let users = JSON.array(
    (0..<1000).map { number in
      [
        "localId": "user-\(number)", "email": "user\(number)@contoso.example",
        "emailVerified": true,
        "displayName": "Ada \"Countess\" Lovelace", "createdAt": "1700000000000",
        "lastLoginAt": .integer(1_700_000_000_000), "disabled": false,
        "providerUserInfo": [["providerId": "password", "federatedId": "user@contoso.example"]],
      ]
    })
  let document = users.encodedBytes()
  let small = try? JSON.parse(request)
  let token = [UInt8](repeating: 0x7B, count: 600)
  var kept = 0
  report("parse.small", request.count) {
    if case .object(let object)? = try? JSON.parse(request) { kept += object.count }
  }
  report("write.small", request.count) { kept += small?.encodedBytes().count ?? 0 }
  report("parse.large", document.count) { kept += (try? JSON.parse(document))?.array?.count ?? 0 }
  report("write.large", document.count) { kept += users.encodedBytes().count }
  report("base64url.encode", token.count) { kept += Base64URL.encode(token).utf8.count }
  let text = Base64URL.encode(token)
  report("base64url.decode", token.count) { kept += Base64URL.decode(text)?.count ?? 0 }
  precondition(kept > 0, "a codec gave nothing")
}

/// The best of several rounds, in nanoseconds a call and bytes a second.
private func report(_ name: String, _ size: Int, _ body: () -> Void) {
  let calls = max(1, 20_000_000 / (size + 100) / 4)
  var best = Double.infinity
  for _ in 0..<7 {
    let start = threadNanoseconds()
    for _ in 0..<calls { body() }
    best = min(best, Double(threadNanoseconds() - start) / Double(calls))
  }
  print("\(name) \(Int(best)) ns \(Int(Double(size) / best * 1000)) MB/s")
}

private func threadNanoseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
