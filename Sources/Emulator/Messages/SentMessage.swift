internal import System

/// An e-mail or SMS with the text that its recipient would get.
public struct SentMessage: Sendable {
  /// What an e-mail has beside its text.
  struct Email: Sendable {
    let purpose: OutOfBandCode.Purpose
    /// The address of the account, which is not the recipient's if the account gets a new one.
    let address: String
    let newAddress: String?
    /// Sender, its display name, and the address for replies, as the template has them.
    let sender: String
    let senderName: String?
    let replyTo: String?
    let subject: String
    /// The HTML body; nil when the template is plain text.
    let html: String?
    let link: String
  }

  /// The e-mail address or phone number.
  public let recipient: String
  /// The text body.
  public let text: String
  /// The language that the request asked for; default texts are in English all the same.
  let language: String
  /// The code of the link, or the code in the SMS.
  public let code: String
  /// Seconds since 1970 on the emulator's clock.
  let sentAt: Int64
  /// The position in the outbox, from 1.
  var number = 0
  /// Nil for an SMS.
  var email: Email?
  /// The session that redeems an SMS code; nil for an e-mail.
  var sessionInfo: String?

  /// Whether it is an e-mail; otherwise it is an SMS.
  public var isEmail: Bool { email != nil }

  /// The subject of an e-mail; nil for an SMS.
  public var subject: String? { email?.subject }

  /// The entry in the emulator's lists of e-mails and SMS.
  ///
  /// - Parameter isUsed: Whether the code was used, or a newer message has replaced it.
  func wire(isUsed: Bool) -> JSON {
    var entry = JSONObject()
    if let email {
      entry["to"] = .string(recipient)
      entry["from"] = .string(email.sender)
      entry.set("senderDisplayName", email.senderName)
      entry.set("replyTo", email.replyTo)
      entry["subject"] = .string(email.subject)
      entry["text"] = .string(text)
      entry.set("html", email.html)
      entry["email"] = .string(email.address)
      entry.set("newEmail", email.newAddress)
      entry["requestType"] = .string(email.purpose.rawValue)
      entry["oobCode"] = .string(code)
      entry["oobLink"] = .string(email.link)
    } else {
      entry["phoneNumber"] = .string(recipient)
      entry["text"] = .string(text)
      entry["code"] = .string(code)
      entry.set("sessionInfo", sessionInfo)
    }
    entry["language"] = .string(language)
    entry["sentAt"] = .integer(sentAt)
    entry["isUsed"] = .bool(isUsed)
    return .object(entry)
  }
}

extension SentMessage: Recorded {
  var record: JSONObject {
    var record: JSONObject = [
      "recipient": .string(recipient), "text": .string(text), "language": .string(language),
      "code": .string(code), "sentAt": .integer(sentAt),
    ]
    record.set("sessionInfo", sessionInfo)
    guard let email else { return record }
    record["purpose"] = .string(email.purpose.rawValue)
    record["address"] = .string(email.address)
    record.set("newAddress", email.newAddress)
    record["sender"] = .string(email.sender)
    record.set("senderName", email.senderName)
    record.set("replyTo", email.replyTo)
    record["subject"] = .string(email.subject)
    record.set("html", email.html)
    record["link"] = .string(email.link)
    return record
  }

  init?(record: JSONObject) {
    guard let recipient = record["recipient"]?.string, let text = record["text"]?.string,
      let language = record["language"]?.string, let code = record["code"]?.string,
      let sentAt = record["sentAt"]?.integer
    else { return nil }
    self.init(
      recipient: recipient, text: text, language: language, code: code, sentAt: sentAt,
      sessionInfo: record["sessionInfo"]?.string)
    guard let type = record["purpose"]?.string else { return }
    guard let purpose = OutOfBandCode.Purpose(rawValue: type),
      let address = record["address"]?.string, let sender = record["sender"]?.string,
      let subject = record["subject"]?.string, let link = record["link"]?.string
    else { return nil }
    email = Email(
      purpose: purpose, address: address, newAddress: record["newAddress"]?.string,
      sender: sender, senderName: record["senderName"]?.string,
      replyTo: record["replyTo"]?.string, subject: subject, html: record["html"]?.string,
      link: link)
  }
}

/// The messages of a project or tenant, oldest first; used ones stay.
struct Outbox {
  /// Load tests send any number of messages, so the oldest are dropped.
  static let limit = 1000

  private var messages: OrderedTable<SentMessage>
  private var lastNumber = 0

  init(on shelf: CollectionWriter?) { messages = OrderedTable(on: shelf, limit: Self.limit) }

  var all: [SentMessage] { messages.all }

  subscript(number: Int) -> SentMessage? { messages[String(number)] }

  mutating func add(_ message: SentMessage) {
    lastNumber += 1
    var message = message
    message.number = lastNumber
    messages.put(message, under: String(lastNumber))
  }

  /// Puts back a message of a state file; returns false when its key is not a number.
  mutating func restore(_ message: SentMessage, under key: String) -> Bool {
    guard let number = Int(key), number > 0 else { return false }
    lastNumber = max(lastNumber, number)
    var message = message
    message.number = number
    messages.restore(message, under: key)
    return true
  }
}
