import { createHmac, generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import jwt from 'jsonwebtoken'
import { callbackToken, checkCallbackToken } from '#streams/source/token.ts'

const secret = 'callback-secret'
const rev = 'a4a14383-9cce-58ee-b1ef-efc2cfaaecf3'
const now = new Date('2030-01-07T13:00:00.500Z')
const seconds = Math.floor(now.getTime() / 1000)
const good = { rev, iat: seconds, exp: seconds + 60 }

const base64url = (value: string | Buffer): string => Buffer.from(value).toString('base64url')

/** A token of any header and payload, signed by HMAC-SHA256 whatever the header says. */
function made(payload: unknown, header: unknown = { alg: 'HS256', typ: 'JWT' }, key: string | Buffer = secret): string {
  const signed = `${base64url(JSON.stringify(header))}.${base64url(typeof payload === 'string' ? payload : JSON.stringify(payload))}`
  return `${signed}.${base64url(createHmac('sha256', key).update(signed).digest())}`
}

const taken = (token: string): boolean => {
  try {
    checkCallbackToken(secret, token, rev, now)
    return true
  } catch (error) {
    expect(error).to.include({ kind: 'unauthenticated', code: 'invalid_callback_token' })
    return false
  }
}

const without = (name: keyof typeof good) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name))
const [head, body, sign] = made(good).split('.') as [string, string, string]
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** Each is of the right shape for somebody. */
const forged: Readonly<Record<string, string>> = {
  'of another revision': made({ ...good, rev: '08555428-97bd-520f-8e0e-687c8e9d4f4d' }),
  'of a part of the revision': made({ ...good, rev: rev.slice(0, -1) }),
  'of the revision in upper case': made({ ...good, rev: rev.toUpperCase() }),
  'of several revisions': made({ ...good, rev: [rev] }),
  'of no revision': made(without('rev')),
  'of the revision under another name': made({ ...without('rev'), sub: rev }),
  'without an end': made(without('exp')),
  'with an end that is text': made({ ...good, exp: String(seconds + 60) }),
  'with no end for ever': made({ ...good, exp: null }),
  'with an end beyond all numbers': made(JSON.stringify({ ...good, exp: 0 }).replace('"exp":0', '"exp":1e400')),
  'with a broken end': made({ ...good, exp: seconds + 60.5 }),
  'that has ended': made({ ...good, exp: seconds - 1 }),
  'that ends now': made({ ...good, exp: seconds }),
  'without a beginning': made(without('iat')),
  'with a beginning that is text': made({ ...good, iat: String(seconds) }),
  'with a broken beginning': made({ ...good, iat: seconds - 0.5 }),
  'older than 30 minutes': made({ ...good, iat: seconds - 1801 }),
  'of the year 1970': made({ ...good, iat: 0 }),
  'of before 1970': made({ ...good, iat: -seconds }),
  'more than a minute ahead': made({ ...good, iat: seconds + 61, exp: seconds + 120 }),
  'in milliseconds': made({ ...good, iat: seconds * 1000, exp: (seconds + 60) * 1000 }),
  'not good yet': made({ ...good, nbf: seconds + 30 }),
  'under another secret': made(good, undefined, 'another'),
  'under an empty secret': made(good, undefined, ''),
  'under the secret with a line end': made(good, undefined, `${secret}\n`),
  'under the secret in base64': made(good, undefined, Buffer.from(secret, 'base64')),
  'by HS512': jwt.sign(good, secret, { algorithm: 'HS512' }),
  'by HS384': jwt.sign(good, secret, { algorithm: 'HS384' }),
  'by RS256': jwt.sign(good, privateKey, { algorithm: 'RS256' }),
  'by ES256': jwt.sign(good, ec, { algorithm: 'ES256' }),
  'that says RS256 and is HS256': made(good, { alg: 'RS256', typ: 'JWT' }),
  'by none': `${base64url('{"alg":"none"}')}.${body}.`,
  'by none with the signature of another': `${base64url('{"alg":"none"}')}.${body}.${sign}`,
  'by None': `${base64url('{"alg":"None"}')}.${body}.`,
  'by nothing at all': made(good, { typ: 'JWT' }),
  'with a header that is critical to whoever signed': made(good, { alg: 'HS256', typ: 'JWT', crit: ['exp2'], exp2: 1 }),
  'by several algorithms': made(good, { alg: ['HS256'] }),
  'without its signature': `${head}.${body}.`,
  'of two parts': `${head}.${body}`,
  'of four parts': `${head}.${body}.${sign}.${sign}`,
  'with a signature cut short': `${head}.${body}.${sign.slice(0, -4)}`,
  'with another payload under the signature': `${head}.${base64url(JSON.stringify({ ...good, exp: seconds + 99 }))}.${sign}`,
  'with a payload that is text': made('"hello"'),
  'with a payload that is a list': made('[]'),
  'with a payload that is null': made('null'),
  'that is a JSON document': JSON.stringify(good),
  'that is a word': 'token',
  'that is empty': '',
}

describe('the token of a callback', () => {
  it('is good for its revision for half an hour [HOOK-14] [HOOK-15] [HOOK-16] [HOOK-17]', () => {
    const token = callbackToken(secret, rev, now)
    expect(jwt.decode(token)).to.deep.equal({ rev, iat: seconds, exp: seconds + 1800 })
    expect(taken(token)).to.equal(true)
    const at = (after: number) => () => checkCallbackToken(secret, token, rev, new Date((seconds + after) * 1000))
    expect(at(1799)).not.to.throw()
    expect(at(1800)).to.throw('has expired')
    expect(at(-60)).not.to.throw()
    expect(at(-61)).to.throw('has expired')
  })

  it('may be 29 minutes and 30 minutes old, whatever its end is [HOOK-16]', () => {
    for (const age of [29 * 60, 1790, 1800])
      expect(taken(made({ ...good, iat: seconds - age })), String(age)).to.equal(true)
  })

  it('is told from those that are forged: more than forty kinds of them [HOOK-14] [HOOK-15] [HOOK-16] [HOOK-17]', () => {
    expect(taken(made(good))).to.equal(true)
    expect(Object.keys(forged)).to.have.length.above(40)
    for (const [name, token] of Object.entries(forged)) expect(taken(token), name).to.equal(false)
  })
})
