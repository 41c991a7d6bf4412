local flows = require "support.flows"
local emulator = require "luath.emulator"
local totp = require "luath.totp"

local equal, refused, mistake = flows.equal, flows.refused, flows.mistake

describe("luath.totp", function()
  -- RFC 6238 appendix B, whose secrets are the digits 1 to 0 over and over.
  it("codes are those of the RFC", function()
    local secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    local secrets = {
      SHA1 = secret,
      SHA256 = secret .. "GEZDGNBVGY3TQOJQGEZA====",
      SHA512 = secret:rep(3) .. "GEZDGNA=",
    }
    local rows = {
      { 59, "94287082", "46119246", "90693936" }, { 1111111109, "07081804", "68084774", "25091201" },
      { 20000000000, "65353130", "77737706", "47863826" },
    }
    for _, row in ipairs(rows) do
      for index, algorithm in ipairs { "SHA1", "SHA256", "SHA512" } do
        local options = { at = row[1], digits = 8, algorithm = algorithm }
        equal(totp.code(secrets[algorithm], options), row[index + 1])
      end
    end
    equal(totp.code(secrets.SHA1, { at = 59 }), "287082")
    equal(totp.code(secrets.SHA1, { at = 59.9 }), "287082")
    local early = totp.code(secrets.SHA1, { at = 60, period = 60, digits = 7 })
    equal(early, totp.code(secrets.SHA1, { at = 119, period = 60, digits = 7 }))
    -- As people copy it.
    equal(totp.code("gezd gnbv-gy3t qojq gezd gnbv gy3t qojq", { at = 59 }), "287082")
    for _, name in ipairs { "sha1", "SHA-1", "HmacSHA1" } do
      equal(totp.code(secrets.SHA1, { at = 59, algorithm = name }), "287082")
    end
  end)

  it("the time is the emulator's when the script has moved it", function()
    local secret = totp.secret()
    equal(#secret, 32)
    assert(secret ~= totp.secret())
    emulator.setClock(1111111109)
    local left = totp.remaining()
    assert(left >= 1 and left <= 30, left)
    emulator.setClock "2033-05-18T03:33:20Z" -- 2000000000
    equal(totp.remaining { at = 2000000000 }, 10)
    equal(totp.remaining { at = -1 }, 1)
    equal(totp.remaining { at = 0, period = 60 }, 60)
    -- That time is in the middle of an hour.
    equal(totp.code(secret, { period = 3600 }), totp.code(secret, { at = 2000000000, period = 3600 }))
  end)

  it("the address of a QR code has the settings of its codes", function()
    local issuer = "Ada%20%26%20S%C3%B6hne"
    local known = totp.parse("otpauth://totp/" .. issuer .. ":ada%2B1%40example.com"
      .. "?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=" .. issuer .. "&algorithm=SHA256&digits=8&period=60")
    equal(known.secret, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    equal(known.issuer, "Ada & S\u{F6}hne")
    equal(known.account, "ada+1@example.com")
    equal(known.algorithm, "SHA256")
    equal(known.digits, 8)
    equal(known.period, 60)
    equal(totp.code(known, { at = 59 }),
      totp.code(known.secret, { at = 59, algorithm = "SHA256", digits = 8, period = 60 }))
    local short = totp.parse "OTPAUTH://TOTP/ada?secret=gezdgnbvgy3tqojq#x"
    equal(short.issuer, nil)
    equal(short.account, "ada")
    equal(short.algorithm .. short.digits .. short.period, "SHA1630")
    equal(totp.parse("otpauth://totp/Firm:%20ada?secret=GEZDGNBV&issuer=Other").issuer, "Other")
  end)

  it("bad secrets, addresses and options are refused without the secret", function()
    for _, secret in ipairs { "", " ", "1", "GEZDGNBVGY3TQOJ1", "GEZDGN!", "ABC" } do
      local err = refused("invalidTOTPSecret", totp.code, secret)
      assert(#secret < 3 or not tostring(err):find(secret, 1, true))
    end
    for _, url in ipairs {
      "", "https://a.example/?secret=GEZDGNBV", "otpauth://hotp/ada?secret=GEZDGNBV&counter=1",
      "otpauth://totp/ada", "otpauth://totp/ada?secret=0189GEZDGNBV",
      "otpauth://totp/ada?secret=GEZDGNBV&algorithm=MD5",
      "otpauth://totp/ada?secret=GEZDGNBV&digits=5", "otpauth://totp/ada?secret=GEZDGNBV&digits=x",
      "otpauth://totp/ada?secret=GEZDGNBV&period=0", "otpauth://totp/ada%zz?secret=GEZDGNBV",
    } do
      local err = refused("invalidTOTPURL", totp.parse, url)
      assert(not tostring(err):find("GEZDGNBV", 1, true), tostring(err))
    end
    local secret = totp.secret()
    for _, options in ipairs { { digits = 5 }, { digits = 9 }, { period = 0 }, { period = 3601 }, { algorithm = "MD5" },
      { algorithm = "x" }, { at = 1 / 0 }, { at = 0 / 0 }, { at = 2 ^ 60 } } do
      local words = mistake("bad argument", totp.code, secret, options)
      assert(not words:find(secret, 1, true))
    end
    mistake("no option 'digit'", totp.code, secret, { digit = 6 })
    mistake("period", totp.remaining, { period = 0 })
    mistake("at", totp.remaining, { at = 2 ^ 60 })
    mistake("secret", totp.code, {})
    mistake("secret", totp.code, { secret = 7 })
  end)

  -- An independent program computes the same codes.
  local isThere = io.open "/usr/bin/oathtool"
  if isThere then isThere:close() end
  (isThere and it or pending)("oathtool agrees", function()
    for index, algorithm in ipairs { "SHA1", "SHA256", "SHA512" } do
      local secret, at, digits, period = totp.secret(), 1700000000 + index * 12345, 5 + index, index * 30
      local pipe <close> = io.popen(("/usr/bin/oathtool --totp=%s -d %d -s %ds -N @%d -b %s"):format(
        algorithm:lower(), digits, period, at, secret))
      equal(totp.code(secret, { at = at, digits = digits, period = period, algorithm = algorithm }), pipe:read())
    end
  end)
end)
