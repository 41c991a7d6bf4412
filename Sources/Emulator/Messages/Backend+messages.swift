internal import System
internal import IdentityToolkit

extension Backend {
  /// Sends an e-mail with a link: adds it to the outbox, and prints it in the terminal of `luath emulator`.
  ///
  /// - Parameter newEmail: The account's new address, which the code of a recovery e-mail may lack.
  func deliver(_ code: OutOfBandCode, language: String? = nil, newEmail: String? = nil) {
    context.notices?(code.notice)
    let newAddress = code.newEmail ?? newEmail
    let values = [
      "APP_NAME": project.id, "LINK": code.link, "EMAIL": code.email,
      "NEW_EMAIL": newAddress ?? "",
      "DISPLAY_NAME": code.uid.flatMap { accounts[uid: $0]?.displayName } ?? "",
    ]
    let template = EmailTemplate(code.purpose).wire(in: configuration)
    func setting(_ name: String) -> String? {
      template[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
    let body = template["body"]?.string ?? ""
    let isHTML = template["bodyFormat"]?.string != "PLAIN_TEXT"
    let html: String? = isHTML ? MessageText.fill(body, values, escaping: Markup.escaped) : nil
    let isForNewAddress = code.purpose == .verifyAndChangeEmail
    let message = SentMessage(
      recipient: isForNewAddress ? newAddress ?? code.email : code.email,
      text: html.map(MessageText.plain) ?? MessageText.fill(body, values),
      language: language ?? configuration.defaultLanguage ?? "en", code: code.code, sentAt: now,
      email: SentMessage.Email(
        purpose: code.purpose, address: code.email, newAddress: newAddress,
        sender: sender(setting("senderLocalPart") ?? "noreply"),
        senderName: setting("senderDisplayName").map { MessageText.fill($0, values) },
        // The default "noreply" is no address, so such an e-mail has no header.
        replyTo: setting("replyTo").flatMap { $0.contains("@") ? $0 : nil },
        subject: MessageText.fill(template["subject"]?.string ?? "", values), html: html,
        link: code.link))
    send(message)
  }

  /// Sends a code by SMS.
  func deliver(_ code: VerificationCode, language: String?) {
    let values = ["LOGIN_CODE": code.code, "APP_NAME": project.id]
    send(
      SentMessage(
        recipient: code.phoneNumber, text: MessageText.fill(configuration.smsTemplate, values),
        language: language ?? configuration.defaultLanguage ?? "en", code: code.code, sentAt: now,
        sessionInfo: code.sessionInfo))
  }

  private func send(_ message: SentMessage) {
    outbox.add(message)
    context.messages?(message)
  }

  /// The sender's address: at the project's own domain, at its mail server's account, or at Firebase's domain.
  private func sender(_ localPart: String) -> String {
    let settings = configuration.settings["notification"]?["sendEmail"]
    if settings?["method"]?.string == "CUSTOM_SMTP",
      let address = settings?["smtp"]?["senderEmail"]?.string
    {
      return address
    }
    let own = settings?["dnsInfo"]
    let domain = own?["useCustomDomain"]?.bool == true ? own?["customDomain"]?.string : nil
    return "\(localPart)@\(domain ?? "\(project.id).firebaseapp.com")"
  }

  /// Whether the code of a message was used, or a newer message has replaced it.
  func isUsed(_ message: SentMessage) -> Bool {
    guard let session = message.sessionInfo else { return codes[message.code] == nil }
    return verifications[session]?.isUsed ?? true
  }

  /// The e-mails or SMS, oldest first.
  ///
  /// - Parameter recipient: Only messages to this address or number; nil for all.
  func sent(emails: Bool, to recipient: String?) -> [JSON] {
    outbox.all.filter { message in
      message.isEmail == emails
        && recipient.map { sameText($0.asciiLowercased, message.recipient.asciiLowercased) } ?? true
    }.map { $0.wire(isUsed: isUsed($0)) }
  }
}
