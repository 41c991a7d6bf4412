/// The request messages of Identity Toolkit (v1, v2), Secure Token and the emulator's own calls, as
/// Google's API description types them.
///
/// - `NAME: field field:TYPE` is a message.
/// - `NAME(PROTO) = VALUE VALUE` is an enumeration that Google's protocol buffers call PROTO.
/// - A field without a type is a string; `int64` is a string of digits and `bytes` one of base64.
/// - `[T]` is a list, and `{T}` a map from names to `T`.
/// - `field/name` is a field that the protocol buffers call `name`.
/// - `field|group` is a field of a `oneof` group.
/// - A line that starts with a space continues the previous one.
enum MessageTable {
  static let text = """
    Action(admin.v2.RecaptchaConfig.RecaptchaAction) = RECAPTCHA_ACTION_UNSPECIFIED BLOCK
    Algorithm(admin.v2.HashConfig.HashAlgorithm) = HASH_ALGORITHM_UNSPECIFIED HMAC_SHA256 HMAC_SHA1 HMAC_MD5 SCRYPT PBKDF_SHA1 MD5
      HMAC_SHA512 SHA1 BCRYPT PBKDF2_SHA256 SHA256 SHA512 STANDARD_SCRYPT
    BodyFormat(admin.v2.NotificationConfig.SendEmail.EmailTemplate.BodyFormat) = BODY_FORMAT_UNSPECIFIED PLAIN_TEXT HTML
    ClientType(v1.ClientType) = CLIENT_TYPE_UNSPECIFIED CLIENT_TYPE_WEB CLIENT_TYPE_ANDROID CLIENT_TYPE_IOS
    CustomDomainState(admin.v2.NotificationConfig.SendEmail.DnsInfo.VerificationState) = VERIFICATION_STATE_UNSPECIFIED NOT_STARTED IN_PROGRESS FAILED SUCCEEDED
    DeleteAttribute(v1.SetAccountInfoRequest.UserAttributeName) = USER_ATTRIBUTE_NAME_UNSPECIFIED EMAIL DISPLAY_NAME PROVIDER PHOTO_URL
      PASSWORD RAW_USER_INFO
    Domain(admin.v2.MobileLinksConfig.Domain) = DOMAIN_UNSPECIFIED FIREBASE_DYNAMIC_LINK_DOMAIN HOSTING_DOMAIN
    EmailPasswordEnforcementState(admin.v2.RecaptchaConfig.RecaptchaProviderEnforcementState) = RECAPTCHA_PROVIDER_ENFORCEMENT_STATE_UNSPECIFIED OFF AUDIT
      ENFORCE
    EnabledProviders(admin.v2.MultiFactorAuthConfig.Provider) = PROVIDER_UNSPECIFIED PHONE_SMS
    HashType(v1.Argon2Parameters.HashType) = HASH_TYPE_UNSPECIFIED ARGON2_D ARGON2_ID ARGON2_I
    LogType(iam.v1.AuditLogConfig.LogType) = LOG_TYPE_UNSPECIFIED ADMIN_READ DATA_WRITE DATA_READ
    Method(admin.v2.NotificationConfig.SendEmail.Method) = METHOD_UNSPECIFIED DEFAULT CUSTOM_SMTP
    Operation(v1.VerifyOp) = VERIFY_OP_UNSPECIFIED SIGN_UP_OR_IN REAUTH UPDATE LINK
    Order(v1.QueryUserInfoRequest.Order) = ORDER_UNSPECIFIED ASC DESC
    PasswordHashOrder(v1.UploadAccountRequest.PasswordHashOrder) = UNSPECIFIED_ORDER SALT_AND_PASSWORD PASSWORD_AND_SALT
    PasswordPolicyEnforcementState(admin.v2.PasswordPolicyConfig.PasswordPolicyEnforcementState) = PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED OFF ENFORCE
    RecaptchaVersion(v1.RecaptchaVersion) = RECAPTCHA_VERSION_UNSPECIFIED RECAPTCHA_ENTERPRISE
    RequestType(v1.OobReqType) = OOB_REQ_TYPE_UNSPECIFIED PASSWORD_RESET OLD_EMAIL_AGREE NEW_EMAIL_ACCEPT
      VERIFY_EMAIL RECOVER_EMAIL EMAIL_SIGNIN VERIFY_AND_CHANGE_EMAIL
      REVERT_SECOND_FACTOR_ADDITION
    SecurityMode(admin.v2.NotificationConfig.SendEmail.Smtp.SecurityMode) = SECURITY_MODE_UNSPECIFIED SSL START_TLS
    SortBy(v1.QueryUserInfoRequest.SortByField) = SORT_BY_FIELD_UNSPECIFIED USER_ID NAME CREATED_AT LAST_LOGIN_AT USER_EMAIL
    State(admin.v2.MultiFactorAuthConfig.State) = STATE_UNSPECIFIED DISABLED ENABLED MANDATORY
    State2(admin.v2.ProviderConfig.MfaState) = MFA_STATE_UNSPECIFIED DISABLED ENABLED MANDATORY
    Subtype(admin.v2.Config.Subtype) = SUBTYPE_UNSPECIFIED IDENTITY_PLATFORM FIREBASE_AUTH
    TokenType(v2.RevokeTokenRequest.TokenType) = TOKEN_TYPE_UNSPECIFIED REFRESH_TOKEN ACCESS_TOKEN CODE
    Type(admin.v2.RecaptchaKey.ClientType) = CLIENT_TYPE_UNSPECIFIED WEB IOS ANDROID
    Version(v1.Argon2Parameters.Version) = VERSION_UNSPECIFIED VERSION_10 VERSION_13
    AdminAllowByDefault: disallowedRegions:[]
    AdminAllowlistOnly: allowedRegions:[]
    AdminAnonymous: enabled:bool
    AdminAppleSignInConfig: bundleIds:[] codeFlowConfig:AdminCodeFlowConfig
    AdminBlockingFunctionsConfig: forwardInboundCredentials:AdminForwardInboundCredentials
      triggers:{AdminTrigger}
    AdminClientConfig: apiKey firebaseSubdomain permissions:AdminPermissions
    AdminClientPermissionConfig: permissions:AdminClientPermissions
    AdminClientPermissions: disabledUserDeletion:bool disabledUserSignup:bool
    AdminCodeFlowConfig: keyId privateKey teamId
    AdminConfig: authorizedDomains:[] autodeleteAnonymousUsers:bool
      blockingFunctions:AdminBlockingFunctionsConfig client:AdminClientConfig defaultHostingSite
      emailPrivacyConfig:AdminEmailPrivacyConfig mfa:AdminMultiFactorAuthConfig
      mobileLinksConfig:AdminMobileLinksConfig monitoring:AdminMonitoringConfig
      multiTenant:AdminMultiTenantConfig name notification:AdminNotificationConfig
      passwordPolicyConfig:AdminPasswordPolicyConfig quota:AdminQuotaConfig
      recaptchaConfig:AdminRecaptchaConfig signIn:AdminSignInConfig
      smsRegionConfig:AdminSmsRegionConfig subtype:Subtype
    AdminCustomStrengthOptions: containsLowercaseCharacter:bool
      containsNonAlphanumericCharacter:bool containsNumericCharacter:bool
      containsUppercaseCharacter:bool maxPasswordLength:int minPasswordLength:int
    AdminDefaultSupportedIdpConfig: appleSignInConfig:AdminAppleSignInConfig clientId
      clientSecret enabled:bool name
    AdminDnsInfo: customDomain customDomainState:CustomDomainState domainVerificationRequestTime
      pendingCustomDomain useCustomDomain:bool
    AdminEmail: enabled:bool passwordRequired:bool
    AdminEmailPrivacyConfig: enableImprovedEmailPrivacy:bool
    AdminEmailTemplate: body bodyFormat:BodyFormat customized:bool replyTo senderDisplayName
      senderLocalPart subject
    AdminForwardInboundCredentials: accessToken:bool idToken:bool refreshToken:bool
    AdminHashConfig: algorithm:Algorithm memoryCost:int rounds:int saltSeparator signerKey
    AdminIdpCertificate: x509Certificate
    AdminIdpConfig: idpCertificates:[AdminIdpCertificate] idpEntityId signRequest:bool ssoUrl
    AdminInboundSamlConfig: displayName enabled:bool idpConfig:AdminIdpConfig name
      spConfig:AdminSpConfig
    AdminInheritance: emailSendingConfig:bool
    AdminInitializeIdentityPlatformRequest:
    AdminMobileLinksConfig: domain:Domain
    AdminMonitoringConfig: requestLogging:AdminRequestLogging
    AdminMultiFactorAuthConfig: enabledProviders:[EnabledProviders]
      providerConfigs:[AdminProviderConfig] state:State
    AdminMultiTenantConfig: allowTenants:bool defaultTenantLocation
    AdminNotificationConfig: defaultLocale sendEmail:AdminSendEmail sendSms:AdminSendSms
    AdminOAuthIdpConfig: clientId clientSecret displayName enabled:bool issuer name
      responseType:AdminOAuthResponseType
    AdminOAuthResponseType: code:bool idToken:bool token:bool
    AdminPasswordPolicyConfig: forceUpgradeOnSignin:bool lastUpdateTime
      passwordPolicyEnforcementState:PasswordPolicyEnforcementState
      passwordPolicyVersions:[AdminPasswordPolicyVersion]
    AdminPasswordPolicyVersion: customStrengthOptions:AdminCustomStrengthOptions
      schemaVersion:int
    AdminPermissions: disabledUserDeletion:bool disabledUserSignup:bool
    AdminPhoneNumber: enabled:bool testPhoneNumbers:{}
    AdminProviderConfig: state:State2 totpProviderConfig:AdminTotpMfaProviderConfig
    AdminQuotaConfig: signUpQuotaConfig:AdminTemporaryQuota
    AdminRecaptchaConfig: emailPasswordEnforcementState:EmailPasswordEnforcementState
      managedRules:[AdminRecaptchaManagedRule]
      phoneEnforcementState:EmailPasswordEnforcementState recaptchaKeys:[AdminRecaptchaKey]
      tollFraudManagedRules:[AdminRecaptchaTollFraudManagedRule] useAccountDefender:bool
      useSmsBotScore:bool useSmsTollFraudProtection:bool
    AdminRecaptchaKey: key type:Type
    AdminRecaptchaManagedRule: action:Action endScore:number
    AdminRecaptchaTollFraudManagedRule: action:Action startScore:number
    AdminRequestLogging: enabled:bool
    AdminSendEmail: callbackUri changeEmailTemplate:AdminEmailTemplate dnsInfo:AdminDnsInfo
      legacyResetPasswordTemplate:AdminEmailTemplate method:Method
      resetPasswordTemplate:AdminEmailTemplate
      revertSecondFactorAdditionTemplate:AdminEmailTemplate smtp:AdminSmtp
      verifyEmailTemplate:AdminEmailTemplate
    AdminSendSms: smsTemplate:AdminSmsTemplate useDeviceLocale:bool
    AdminSignInConfig: allowDuplicateEmails:bool anonymous:AdminAnonymous email:AdminEmail
      hashConfig:AdminHashConfig phoneNumber:AdminPhoneNumber
    AdminSmsRegionConfig: allowByDefault|sms_region_policy:AdminAllowByDefault
      allowlistOnly|sms_region_policy:AdminAllowlistOnly
    AdminSmsTemplate: content
    AdminSmtp: host password port:int securityMode:SecurityMode senderEmail username
    AdminSpCertificate: expiresAt x509Certificate
    AdminSpConfig: callbackUri spCertificates:[AdminSpCertificate] spEntityId
    AdminTemporaryQuota: quota:int64 quotaDuration startTime
    AdminTenant: allowPasswordSignup:bool autodeleteAnonymousUsers:bool
      client:AdminClientPermissionConfig disableAuth:bool displayName
      emailPrivacyConfig:AdminEmailPrivacyConfig enableAnonymousUser:bool
      enableEmailLinkSignin:bool hashConfig:AdminHashConfig inheritance:AdminInheritance
      mfaConfig:AdminMultiFactorAuthConfig mobileLinksConfig:AdminMobileLinksConfig
      monitoring:AdminMonitoringConfig name passwordPolicyConfig:AdminPasswordPolicyConfig
      recaptchaConfig:AdminRecaptchaConfig smsRegionConfig:AdminSmsRegionConfig
      testPhoneNumbers:{}
    AdminTotpMfaProviderConfig: adjacentIntervals:int
    AdminTrigger: functionUri updateTime
    Argon2Parameters: associatedData:bytes hashLengthBytes:int hashType:HashType iterations:int
      memoryCostKib:int parallelism:int version:Version
    AutoRetrievalInfo: appSignatureHash
    BatchDeleteAccountsRequest: force:bool localIds:[] tenantId
    CreateAuthUriRequest: appId authFlowType context continueUri customParameter:{} hostedDomain
      identifier oauthConsumerKey oauthScope openidRealm otaApp providerId sessionId tenantId
    CreateSessionCookieRequest: idToken tenantId validDuration:int64
    DeleteAccountRequest: delegatedProjectNumber:int64 idToken localId targetProjectId tenantId
    EmailInfo: emailAddress
    EmulatorV1ProjectsConfig: signIn:EmulatorV1ProjectsConfigSignIn
      emailPrivacyConfig:EmulatorV1ProjectsConfigEmailPrivacyConfig
    EmulatorV1ProjectsConfigEmailPrivacyConfig: enableImprovedEmailPrivacy:bool
    EmulatorV1ProjectsConfigSignIn: allowDuplicateEmails:bool
    Expr: description expression location title
    FederatedUserIdentifier: providerId rawId
    FinalizeMfaEnrollmentRequest: displayName idToken
      phoneVerificationInfo|verification_info:FinalizeMfaPhoneRequestInfo tenantId
      totpVerificationInfo|verification_info:FinalizeMfaTotpEnrollmentRequestInfo
    FinalizeMfaPhoneRequestInfo: androidVerificationProof code phoneNumber sessionInfo
    FinalizeMfaSignInRequest: mfaEnrollmentId mfaPendingCredential
      phoneVerificationInfo|verification_info:FinalizeMfaPhoneRequestInfo tenantId
      totpVerificationInfo|verification_info:MfaTotpSignInRequestInfo
    FinalizeMfaTotpEnrollmentRequestInfo: sessionInfo verificationCode
    FinalizePasskeyEnrollmentRequest: idToken tenantId authenticatorRegistrationResponse:object
      name displayName
    FinalizePasskeySignInRequest: tenantId authenticatorAuthenticationResponse:object name
      displayName
    GetAccountInfoRequest: delegatedProjectNumber:int64 email:[]
      federatedUserId:[FederatedUserIdentifier] idToken initialEmail:[] localId:[]
      phoneNumber:[] targetProjectId tenantId
    GetOobCodeRequest: androidInstallApp:bool androidMinimumVersion androidPackageName
      canHandleCodeInApp:bool captchaResp challenge clientType:ClientType continueUrl
      dynamicLinkDomain email iOSAppStoreId iOSBundleId idToken linkDomain newEmail
      recaptchaVersion:RecaptchaVersion requestType/req_type:RequestType returnOobLink:bool
      targetProjectId tenantId userIp
    GrantTokenRequest: code grantType refreshToken
    IamAuditConfig: auditLogConfigs:[IamAuditLogConfig] service
    IamAuditLogConfig: exemptedMembers:[] logType:LogType
    IamBinding: condition:Expr members:[] role
    IamGetIamPolicyRequest: options:IamGetPolicyOptions
    IamGetPolicyOptions: requestedPolicyVersion:int
    IamPolicy: auditConfigs:[IamAuditConfig] bindings:[IamBinding] etag version:int
    IamSetIamPolicyRequest: policy:IamPolicy updateMask
    IamTestIamPermissionsRequest: permissions:[]
    IssueSamlResponseRequest: idToken rpId samlAppEntityId
    MfaEnrollment: displayName emailInfo|mfa_value:EmailInfo enrolledAt mfaEnrollmentId
      phoneInfo|mfa_value totpInfo|mfa_value:TotpInfo unobfuscatedPhoneInfo
    MfaFactor: displayName phoneInfo
    MfaInfo: enrollments:[MfaEnrollment]
    MfaTotpSignInRequestInfo: verificationCode
    PasskeyInfo: credentialId name
    ProviderUserInfo: displayName email federatedId phoneNumber photoUrl providerId rawId
      screenName
    QueryUserInfoRequest: expression:[SqlExpression] limit:int64 offset:int64 order:Order
      returnUserInfo:bool sortBy:SortBy tenantId
    ResetPasswordRequest: email newPassword oldPassword oobCode tenantId
    RevokeTokenRequest: idToken providerId redirectUri tenantId token tokenType:TokenType
    SendVerificationCodeRequest: autoRetrievalInfo:AutoRetrievalInfo captchaResponse
      clientType:ClientType iosReceipt iosSecret phoneNumber playIntegrityToken recaptchaToken
      recaptchaVersion:RecaptchaVersion safetyNetToken tenantId
    SetAccountInfoRequest: captchaChallenge captchaResponse createdAt:int64 customAttributes
      delegatedProjectNumber:int64 deleteAttribute:[DeleteAttribute] deleteProvider:[]
      disableUser:bool displayName email emailVerified:bool idToken instanceId lastLoginAt:int64
      linkProviderUserInfo:ProviderUserInfo localId mfa:MfaInfo oobCode password phoneNumber
      photoUrl provider:[] returnSecureToken:bool targetProjectId tenantId
      upgradeToFederatedLogin:bool validSince:int64 deletePasskey:[]
    SignInWithCustomTokenRequest: delegatedProjectNumber:int64 instanceId returnSecureToken:bool
      tenantId token
    SignInWithEmailLinkRequest: email idToken oobCode tenantId
    SignInWithGameCenterRequest: displayName gamePlayerId idToken playerId publicKeyUrl salt
      signature teamPlayerId tenantId timestamp:int64
    SignInWithIdpRequest: autoCreate:bool delegatedProjectNumber:int64 idToken pendingIdToken
      pendingToken postBody requestUri returnIdpCredential:bool returnRefreshToken:bool
      returnSecureToken:bool sessionId tenantId
    SignInWithPasswordRequest: captchaChallenge captchaResponse clientType:ClientType
      delegatedProjectNumber:int64 email idToken instanceId password pendingIdToken
      recaptchaVersion:RecaptchaVersion returnSecureToken:bool tenantId
    SignInWithPhoneNumberRequest: code idToken operation:Operation phoneNumber sessionInfo
      temporaryProof tenantId verificationProof
    SignUpRequest: captchaChallenge captchaResponse clientType:ClientType disabled:bool
      displayName email emailVerified:bool idToken instanceId localId mfaInfo:[MfaFactor]
      password phoneNumber photoUrl recaptchaVersion:RecaptchaVersion targetProjectId tenantId
    SqlExpression: email phoneNumber userId
    StartMfaEnrollmentRequest: idToken
      phoneEnrollmentInfo|enrollment_info:StartMfaPhoneRequestInfo tenantId
      totpEnrollmentInfo|enrollment_info:StartMfaTotpEnrollmentRequestInfo
    StartMfaPhoneRequestInfo: autoRetrievalInfo:AutoRetrievalInfo captchaResponse
      clientType:ClientType iosReceipt iosSecret phoneNumber playIntegrityToken recaptchaToken
      recaptchaVersion:RecaptchaVersion safetyNetToken
    StartMfaSignInRequest: mfaEnrollmentId mfaPendingCredential
      phoneSignInInfo:StartMfaPhoneRequestInfo tenantId
    StartMfaTotpEnrollmentRequestInfo:
    StartPasskeyEnrollmentRequest: idToken tenantId
    StartPasskeySignInRequest: tenantId
    TotpInfo:
    UploadAccountRequest: allowOverwrite:bool argon2Parameters:Argon2Parameters blockSize:int
      cpuMemCost:int delegatedProjectNumber:int64 dkLen:int hashAlgorithm memoryCost:int
      parallelization:int passwordHashOrder:PasswordHashOrder rounds:int
      saltSeparator:bytes sanityCheck:bool signerKey:bytes tenantId users:[UserInfo]
    UserInfo: createdAt:int64 customAttributes customAuth:bool dateOfBirth disabled:bool
      displayName email emailLinkSignin:bool emailVerified:bool initialEmail language
      lastLoginAt:int64 lastRefreshAt localId mfaInfo:[MfaEnrollment] passwordHash/password:bytes
      passwordUpdatedAt:number phoneNumber photoUrl providerUserInfo:[ProviderUserInfo]
      rawPassword salt:bytes screenName tenantId timeZone validSince:int64 version:int
      passkeyInfo:[PasskeyInfo]
    VerifyIosClientRequest: appToken isSandbox:bool
    WithdrawMfaRequest: idToken mfaEnrollmentId tenantId
    """
}
