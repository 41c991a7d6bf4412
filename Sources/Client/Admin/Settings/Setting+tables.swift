extension Setting {
  /// The settings of a tenant.
  public static let ofTenant: [Setting] =
    [
      Setting("displayName", .text),
      Setting(
        "emailSignInConfig",
        .group([
          Setting("enabled", .flag, at: "allowPasswordSignup"),
          Setting("passwordRequired", .oppositeFlag, at: "enableEmailLinkSignin"),
        ]), at: ""),
      Setting("anonymousSignInEnabled", .flag, at: "enableAnonymousUser"),
      Setting("disableAuth", .flag),
      Setting("multiFactorConfig", .group(secondFactors), at: "mfaConfig"),
      Setting("testPhoneNumbers", .textsByName),
    ] + ofBoth

  /// The settings of a project.
  public static let ofProject: [Setting] =
    [
      Setting("authorizedDomains", .texts),
      Setting(
        "signIn",
        .group([
          Setting("allowDuplicateEmails", .flag),
          Setting("anonymous", .group([Setting("enabled", .flag)])),
          Setting(
            "email", .group([Setting("enabled", .flag), Setting("passwordRequired", .flag)])),
          Setting(
            "phoneNumber",
            .group([Setting("enabled", .flag), Setting("testPhoneNumbers", .textsByName)])),
          // In the form of an import's option `hash`.
          Setting(
            "hashConfig",
            .shown([
              Setting("algorithm", .text), Setting("signerKey", .text),
              Setting("saltSeparator", .text), Setting("rounds", .integer),
              Setting("memoryCost", .integer),
            ])),
        ])),
      Setting("multiFactorConfig", .group(secondFactors), at: "mfa"),
      Setting("multiTenant", .group([Setting("allowTenants", .flag)])),
      Setting(
        "mobileLinksConfig",
        .group([Setting("domain", .choice(["HOSTING_DOMAIN", "FIREBASE_DYNAMIC_LINK_DOMAIN"]))])),
    ] + ofBoth

  /// The settings that tenants and projects share.
  private static let ofBoth = [
    Setting(
      "client",
      .group([
        Setting(
          "permissions",
          .group([Setting("disabledUserSignup", .flag), Setting("disabledUserDeletion", .flag)]))
      ])),
    Setting(
      "emailPrivacyConfig", .group([Setting("enableImprovedEmailPrivacy", .flag)])),
    Setting("passwordPolicyConfig", .group(passwordPolicy)),
    Setting("recaptchaConfig", .group(recaptcha)),
    // Together, because they exclude each other.
    Setting(
      "smsRegionConfig",
      .whole([
        Setting("allowByDefault", .whole([Setting("disallowedRegions", .texts)])),
        Setting("allowlistOnly", .whole([Setting("allowedRegions", .texts)])),
      ])),
  ]

  private static let secondFactors = [
    Setting("state", .choice(["ENABLED", "DISABLED", "MANDATORY"])),
    Setting(
      "factorIDs", .renamedTexts([(name: "phone", wire: "PHONE_SMS")]), at: "enabledProviders"),
    Setting(
      "providerConfigs",
      .items([
        Setting("state", .choice(["ENABLED", "DISABLED", "MANDATORY"])),
        Setting("totpProviderConfig", .whole([Setting("adjacentIntervals", .integer)])),
      ])),
  ]

  private static let passwordPolicy = [
    Setting("enforcementState", .choice(["ENFORCE", "OFF"]), at: "passwordPolicyEnforcementState"),
    Setting("forceUpgradeOnSignin", .flag),
    Setting(
      "constraints",
      .onlyItem(
        "customStrengthOptions",
        [
          Setting("requireUppercase", .flag, at: "containsUppercaseCharacter"),
          Setting("requireLowercase", .flag, at: "containsLowercaseCharacter"),
          Setting("requireNonAlphanumeric", .flag, at: "containsNonAlphanumericCharacter"),
          Setting("requireNumeric", .flag, at: "containsNumericCharacter"),
          Setting("minLength", .integer, at: "minPasswordLength"),
          Setting("maxLength", .integer, at: "maxPasswordLength"),
        ]), at: "passwordPolicyVersions"),
  ]

  private static let recaptcha = [
    Setting("emailPasswordEnforcementState", .choice(["OFF", "AUDIT", "ENFORCE"])),
    Setting("phoneEnforcementState", .choice(["OFF", "AUDIT", "ENFORCE"])),
    Setting(
      "managedRules", .items([Setting("endScore", .number), Setting("action", .choice(["BLOCK"]))])),
    Setting(
      "smsTollFraudManagedRules",
      .items([Setting("startScore", .number), Setting("action", .choice(["BLOCK"]))]),
      at: "tollFraudManagedRules"),
    Setting(
      "recaptchaKeys",
      .items([Setting("key", .text), Setting("type", .choice(["WEB", "IOS", "ANDROID"]))])),
    Setting("useAccountDefender", .flag),
    Setting("useSmsBotScore", .flag),
    Setting("useSmsTollFraudProtection", .flag),
  ]

  /// The settings of an OpenID provider.
  static let ofOIDC: [Setting] = [
    Setting("displayName", .text), Setting("enabled", .flag),
    Setting("clientID", .text, at: "clientId"),
    Setting("clientSecret", .text), Setting("issuer", .text),
    // Together, because they exclude each other.
    Setting(
      "responseType", .whole([Setting("code", .flag), Setting("idToken", .flag)])),
  ]

  /// The settings of a SAML provider.
  static let ofSAML: [Setting] = [
    Setting("displayName", .text), Setting("enabled", .flag),
    Setting("idpEntityID", .text, at: "idpConfig.idpEntityId"),
    Setting("ssoURL", .text, at: "idpConfig.ssoUrl"),
    Setting("enableRequestSigning", .flag, at: "idpConfig.signRequest"),
    Setting(
      "x509Certificates", .wrappedTexts("x509Certificate"), at: "idpConfig.idpCertificates"),
    Setting("rpEntityID", .text, at: "spConfig.spEntityId"),
    Setting("callbackURL", .text, at: "spConfig.callbackUri"),
  ]

  /// The settings of a built-in provider.
  static let ofKnownProvider: [Setting] = [
    Setting("enabled", .flag), Setting("clientID", .text, at: "clientId"),
    Setting("clientSecret", .text),
  ]
}
