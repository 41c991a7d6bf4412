@testable import System
@testable import OIDC

/// Published examples, and keys that several suites share because making one is slow.
enum Vectors {
  /// RFC 7515 appendix A.2.
  static let rsaKey: JSONObject = [
    "kty": "RSA", "e": "AQAB",
    "n": .string(
      "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4"
        + "d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5"
        + "rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aG"
        + "hyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"),
  ]
  static let claims =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
  static let rsaToken =
    "eyJhbGciOiJSUzI1NiJ9." + claims
    + ".cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp"
    + "5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb"
    + "1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOY"
    + "EUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"

  /// RFC 7515 appendix A.3.
  static let p256Key: JSONObject = [
    "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  ]
  static let p256Token =
    "eyJhbGciOiJFUzI1NiJ9." + claims
    + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

  /// RFC 7638 section 3.1, the key of RFC 7517 appendix A.1.
  static let thumbprintKey: JSONObject = [
    "kty": "RSA", "e": "AQAB", "alg": "RS256", "kid": "2011-04-29",
    "n": .string(
      "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECP"
        + "ebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2Qvz"
        + "qY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6We"
        + "Zu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"),
  ]

  private static let made = Result { try SigningKey.generate() }
  private static let madeOther = Result { try SigningKey.generate() }

  /// A key of our own.
  static var key: SigningKey { get throws { try made.get() } }
  /// Another key of our own.
  static var otherKey: SigningKey { get throws { try madeOther.get() } }

  /// A token with any header and claims and a signature of any bytes.
  static func token(
    header: JSONObject, claims: JSONObject = [:], signature: [UInt8] = [1]
  ) -> String {
    [JSON.object(header).encodedBytes(), JSON.object(claims).encodedBytes(), signature]
      .map { Base64URL.encode($0) }.joined(separator: ".")
  }
}

extension JSONObject {
  /// The same members with some set otherwise, or removed.
  func with(_ changes: [String: JSON?]) -> JSONObject {
    var copy = self
    for (key, value) in changes { copy[key] = value }
    return copy
  }
}
