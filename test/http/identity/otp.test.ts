import { expect } from 'chai'
import {
  address,
  advance,
  ask,
  codeFor,
  login,
  mailsTo,
  password,
  person,
  resetClock,
  signedUp,
} from '#test/harness/people.ts'
import { askFrom } from '#test/harness/from.ts'
import { until } from '#test/harness/product.ts'
import { amount, deepIt } from '#test/harness/tier.ts'

const signUp = (email: string, fields: object = {}) =>
  ask('POST', '/auth/signup', { body: { email, password, name: 'Ana', ...fields } })
const validate = async (email: string, otp: string) => {
  const { status, body } = await ask('PATCH', '/auth/email/otp/validate', { body: { email, otp } })
  return [status, body.code ?? body.data]
}
const resend = (email: string) => ask('POST', '/auth/email/verify', { body: { email } })
const forget = (email: string) => ask('POST', '/auth/password/forget', { body: { email } })
const reset = async (email: string, otp: string, newPassword = 'another good password') => {
  const { status, body } = await ask('PATCH', '/auth/password/reset', { body: { email, otp, newPassword } })
  return [status, body.code ?? body.data]
}
const logIn = async (email: string, given = password) => {
  const { status, body } = await ask('POST', '/auth/login', { body: { provider: 'email', email, password: given } })
  return [status, body.code ?? 'in']
}

/** The last of five codes sent to an address; each waits for the one before, as mails may overtake each other. */
async function fifth(email: string): Promise<string> {
  await signUp(email)
  for (let sent = 1; sent < 5; sent++) {
    await codeFor(email, sent)
    await resend(email)
  }
  return codeFor(email, 5)
}

/** Codes that are not `right`, all different. */
const wrong = (right: string, count = 1): string[] =>
  Array.from({ length: count }, (_, i) => String((Number(right) + i + 1) % 1_000_000).padStart(6, '0'))

const verified = [200, { verified: true }]
const invalid = [400, 'invalid_otp']
const tooMany = [429, 'too_many_attempts']

// How many are sent and tried, from where and until when, without mails: otp-kept.test.ts.
describe('one-time passwords', () => {
  afterEach(resetClock)

  it('come by mail after sign-up and confirm the address; nobody signs in before [AUTH-02] [AUTH-04] [AUTH-19]', async () => {
    const email = address()
    const { status, body } = await signUp(email)
    expect([status, body]).to.deep.equal([201, { data: { email, verificationRequired: true } }])
    const code = await codeFor(email)
    expect(await logIn(email)).to.deep.equal([403, 'email_not_verified'])
    expect(await logIn(email, 'a wrong password')).to.deep.equal([401, 'invalid_credentials'])
    expect(await validate(email, code)).to.deep.equal(verified)
    expect(await logIn(email)).to.deep.equal([200, 'in'])
  })

  it('are not sent for an address in use: its owner gets a notice, the caller the same answer [AUTH-02]', async () => {
    const { email } = await person()
    const fresh = address()
    const [known, unknown] = [await signUp(email, { password: 'the password of a thief' }), await signUp(fresh)]
    expect([known.status, known.body]).to.deep.equal([unknown.status, { data: { ...unknown.body.data, email } }])
    await until('the notice', async () => (await mailsTo(email)).length === 1)
    const [notice] = await mailsTo(email)
    expect(notice!.subject).to.equal('You already have a Tidemark account')
    expect(/\d{6}/.test(notice!.subject + notice!.text), 'no code').to.equal(false)
    expect(await logIn(email, 'the password of a thief')).to.deep.equal([401, 'invalid_credentials'])
    expect(await logIn(email)).to.deep.equal([200, 'in'])
  })

  it('are answered alike by several sign-ups at once of one address [AUTH-02]', async () => {
    const email = address()
    const answers = await Promise.all(Array.from({ length: amount(3, 10, 10) }, () => signUp(email)))
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 201))
  })

  it('are refused when wrong, and after five tries even when right [AUTH-04]', async () => {
    const email = address()
    await signUp(email)
    const code = await codeFor(email)
    for (const guess of wrong(code, 5)) expect(await validate(email, guess)).to.deep.equal(invalid)
    expect(await validate(email, code)).to.deep.equal(tooMany)
    const { headers } = await ask('PATCH', '/auth/email/otp/validate', { body: { email, otp: code } })
    expect(Number(headers.get('retry-after'))).to.be.within(540, 600)
    await resend(email)
    expect(await validate(email, await codeFor(email, 2)), 'a new one has five of its own').to.deep.equal(verified)
  })

  deepIt('take five tries at once, not more [AUTH-04]', async () => {
    const email = address()
    await signUp(email)
    const code = await codeFor(email)
    const answers = await Promise.all(wrong(code, 20).map((guess) => validate(email, guess)))
    const count = (status: number) => answers.filter(([got]) => got === status).length
    expect([count(400), count(429)]).to.deep.equal([5, 15])
  })

  it('for an address nobody has are refused as for one that waits [AUTH-04]', async () => {
    const email = address()
    for (const guess of wrong('000000', 5)) expect(await validate(email, guess)).to.deep.equal(invalid)
    expect(await validate(email, '000000')).to.deep.equal(tooMany)
  })

  it('of six digits alone are looked at', async () => {
    const { email } = await person()
    for (const otp of [
      '12345',
      '1234567',
      '12345a',
      '１２３４５６',
      ' 123456',
      123456,
      null,
      ['123456'],
      { $ne: '' },
    ]) {
      const { status, body } = await ask('PATCH', '/auth/email/otp/validate', { body: { email, otp } })
      expect([status, body.code], JSON.stringify(otp)).to.deep.equal([400, 'validation_failed'])
    }
  })

  it('are replaced by a newer one, which /auth/email/verify sends [AUTH-03]', async () => {
    const email = address()
    await signUp(email)
    const first = await codeFor(email)
    const { status, body } = await resend(email)
    expect([status, body]).to.deep.equal([
      202,
      { data: { message: 'If the address has an account, an email is on its way.' } },
    ])
    const second = await codeFor(email, 2)
    // One in a million is the same code again.
    if (first !== second) expect(await validate(email, first)).to.deep.equal(invalid)
    expect(await validate(email, second)).to.deep.equal(verified)
  })

  it('are good for one use [AUTH-04]', async () => {
    const email = address()
    await signUp(email)
    const code = await codeFor(email)
    expect(await validate(email, code)).to.deep.equal(verified)
    expect(await validate(email, code)).to.deep.equal(invalid)
  })

  deepIt('are good for one use of ten at once [AUTH-04]', async () => {
    const email = address()
    await signUp(email)
    const code = await codeFor(email)
    const answers = await Promise.all(Array.from({ length: 10 }, () => validate(email, code)))
    expect(answers.filter(([status]) => status === 200)).to.deep.equal([verified])
    expect(answers.every(([status]) => [200, 400, 429].includes(status as number))).to.equal(true)
  })

  deepIt('are good for ten minutes [AUTH-04]', async () => {
    const [early, late] = [address(), address()]
    await signUp(early)
    await signUp(late)
    const codes = [await codeFor(early), await codeFor(late)] as const
    await advance(540)
    expect(await validate(early, codes[0])).to.deep.equal(verified)
    await advance(61)
    expect(await validate(late, codes[1])).to.deep.equal(invalid)
    expect(await logIn(late)).to.deep.equal([403, 'email_not_verified'])
  })

  deepIt('are five an hour; then the newest stays good [AUTH-03]', async () => {
    const email = address()
    const code = await fifth(email)
    expect((await resend(email)).status).to.equal(202)
    expect(await validate(email, code)).to.deep.equal(verified)
    expect((await mailsTo(email)).length).to.equal(5)
  })

  deepIt('confirm the password of the sign-up that they were sent for [AUTH-02]', async () => {
    const email = address()
    const code = await fifth(email)
    await signUp(email, { password: 'the password of a thief' })
    expect(await validate(email, code)).to.deep.equal(verified)
    expect(await logIn(email, 'the password of a thief')).to.deep.equal([401, 'invalid_credentials'])
  })

  it('for a new password are answered alike for an address nobody has, and nobody gets a mail [AUTH-08]', async () => {
    const { email } = await person()
    const nobody = address()
    const [known, unknown] = [await forget(email), await forget(nobody)]
    expect([known.status, known.body]).to.deep.equal([unknown.status, unknown.body])
    expect(known.status).to.equal(202)
    await codeFor(email)
    expect(await mailsTo(nobody)).to.deep.equal([])
    expect((await resend(nobody)).body, 'nor to confirm').to.deep.equal(known.body)
  })

  it('set a new password, end the old one and every session [AUTH-08] [AUTH-09]', async () => {
    const one = await person()
    const other = await login(one.email)
    expect((await ask('GET', '/organisations', { token: other.accessToken })).status).to.equal(200)
    await forget(one.email)
    const code = await codeFor(one.email)
    expect(await reset(one.email, wrong(code)[0]!)).to.deep.equal(invalid)
    expect(await reset(one.email, code)).to.deep.equal([200, { reset: true }])
    expect(await logIn(one.email)).to.deep.equal([401, 'invalid_credentials'])
    expect(await logIn(one.email, 'another good password')).to.deep.equal([200, 'in'])
    for (const { accessToken, refreshToken } of [one, other]) {
      expect((await ask('GET', '/organisations', { token: accessToken })).status).to.equal(401)
      expect((await ask('POST', '/auth/refresh', { body: { refreshToken } })).status).to.equal(401)
    }
    expect(await reset(one.email, code), 'one use').to.deep.equal(invalid)
  })

  it('are good for what they were sent for alone [AUTH-04] [AUTH-09]', async () => {
    const waiting = address()
    await signUp(waiting)
    const toVerify = await codeFor(waiting)
    expect(await reset(waiting, toVerify)).to.deep.equal(invalid)
    expect(await validate(waiting, toVerify)).to.deep.equal(verified)
    await forget(waiting)
    const toReset = await codeFor(waiting, 2)
    expect(await validate(waiting, toReset)).to.deep.equal(invalid)
    expect(await reset(waiting, toReset)).to.deep.equal([200, { reset: true }])
  })

  deepIt('of one address are not good for another [AUTH-04]', async () => {
    const [one, other] = [address(), address()]
    await signUp(one)
    await signUp(other)
    const codes = [await codeFor(one), await codeFor(other)] as const
    if (codes[0] !== codes[1]) expect(await validate(other, codes[0])).to.deep.equal(invalid)
    expect(await validate(other.toUpperCase(), codes[1]), 'however it is typed').to.deep.equal(verified)
  })
})

const stranger = '127.0.0.2'
/** The same requests, from another address. */
const there = {
  signUp: (email: string, given: string) =>
    askFrom(stranger, 'POST', '/auth/signup', { body: { email, password: given, name: 'Eve' } }),
  resend: (email: string) => askFrom(stranger, 'POST', '/auth/email/verify', { body: { email } }),
  forget: (email: string, from = stranger) => askFrom(from, 'POST', '/auth/password/forget', { body: { email } }),
  validate: async (email: string, otp: string) => {
    const { status, body } = await askFrom(stranger, 'PATCH', '/auth/email/otp/validate', { body: { email, otp } })
    return [status, body.code ?? body.data]
  },
  logIn: async (email: string, given: string) => {
    const { status, body } = await askFrom(stranger, 'POST', '/auth/login', {
      body: { provider: 'email', email, password: given },
    })
    return [status, body.code ?? 'in']
  },
}

describe('a stranger at one-time passwords', () => {
  afterEach(resetClock)

  deepIt('burns nobody’s code: it has five tries of its own where it was asked for [AUTH-04]', async () => {
    const email = address()
    await signUp(email)
    const code = await codeFor(email)
    for (const guess of wrong(code, 5)) expect(await there.validate(email, guess)).to.deep.equal(invalid)
    expect(await there.validate(email, code)).to.deep.equal(tooMany)
    expect(await validate(email, code)).to.deep.equal(verified)
  })

  deepIt('has five tries at a code of somebody else together with all others [AUTH-04]', async () => {
    const email = address()
    await signUp(email)
    const code = await codeFor(email)
    const guesses = wrong(code, 5)
    for (const [n, guess] of guesses.entries()) {
      const { body } = await askFrom(`127.0.0.${10 + n}`, 'PATCH', '/auth/email/otp/validate', {
        body: { email, otp: guess },
      })
      expect(body.code).to.equal('invalid_otp')
    }
    expect(await there.validate(email, code), 'a sixth block, and the right one').to.deep.equal(invalid)
    expect(await validate(email, code)).to.deep.equal(verified)
  })

  it('is let use a code that was asked for elsewhere: people change networks [AUTH-04]', async () => {
    const email = address()
    await signUp(email)
    expect(await there.validate(email, await codeFor(email))).to.deep.equal(verified)
    expect(await logIn(email)).to.deep.equal([200, 'in'])
  })

  deepIt('replaces nobody’s code and keeps nobody from asking for one [AUTH-03] [AUTH-08]', async () => {
    const { email } = await signedUp()
    await forget(email)
    const code = await codeFor(email, 2)
    for (let sent = 3; sent <= 7; sent++) {
      await there.forget(email)
      await codeFor(email, sent)
    }
    expect((await there.forget(email)).status, 'a sixth is answered as ever').to.equal(202)
    expect(await reset(email, code)).to.deep.equal([200, { reset: true }])
    await forget(email)
    const next = await codeFor(email, 8)
    expect(await mailsTo(email), 'none for the sixth').to.have.length(8)
    expect(await reset(email, next, 'yet another good password')).to.deep.equal([200, { reset: true }])
  })

  deepIt(
    'floods no mailbox from many addresses, nor silences one where the owner has signed in [AUTH-08]',
    async () => {
      const { email } = await signedUp()
      const ask5 = async (from: string) => {
        for (let n = 0; n < 5; n++) expect((await there.forget(email, from)).status).to.equal(202)
      }
      for (const from of ['127.0.1.1', '127.0.1.2', '127.0.1.3', '127.0.1.4']) await ask5(from)
      await codeFor(email, 21)
      await ask5('127.0.1.5')
      await forget(email)
      await codeFor(email, 22)
      expect(await mailsTo(email)).to.have.length(22)
    },
  )

  deepIt(
    'keeps nobody from a code in a new place: one is sent 20 seconds after the last, to one who had some a minute after [AUTH-08]',
    async () => {
      const { email } = await signedUp()
      const sent = async (from: string, count: number) => {
        await there.forget(email, from)
        await codeFor(email, count)
        expect(await mailsTo(email)).to.have.length(count)
      }
      for (const n of [1, 2, 3, 4]) for (let times = 0; times < 5; times++) await there.forget(email, `127.0.2.${n}`)
      await codeFor(email, 21)
      const [fresh, other] = ['127.0.2.5', '127.0.2.6']
      await sent(fresh, 21)
      await advance(20)
      await sent(fresh, 22)
      await sent(other, 22)
      await advance(21)
      await sent(fresh, 22)
      await advance(40)
      await sent(fresh, 23)
    },
  )

  it('who signs up with the same address has his password confirmed by his own code alone [AUTH-02]', async () => {
    const email = address()
    await signUp(email)
    const code = await codeFor(email)
    await there.signUp(email, 'the password of a thief')
    await codeFor(email, 2)
    expect(await validate(email, code)).to.deep.equal(verified)
    expect(await there.logIn(email, 'the password of a thief')).to.deep.equal([401, 'invalid_credentials'])
    expect(await logIn(email)).to.deep.equal([200, 'in'])
  })

  deepIt('who signs up with the same address changes nothing of a code that is sent again [AUTH-03]', async () => {
    const email = address()
    await signUp(email)
    await codeFor(email)
    await there.signUp(email, 'the password of a thief')
    await codeFor(email, 2)
    await resend(email)
    expect(await validate(email, await codeFor(email, 3))).to.deep.equal(verified)
    expect(await there.logIn(email, 'the password of a thief')).to.deep.equal([401, 'invalid_credentials'])
    expect(await logIn(email)).to.deep.equal([200, 'in'])
  })
})

describe('a stranger who guesses passwords', () => {
  afterEach(resetClock)

  deepIt('locks himself out, and not the owner [AUTH-01]', async () => {
    const { email } = await person()
    for (let n = 0; n < 10; n++) {
      if (n >= 5) await advance(2 ** (n - 5))
      expect(await there.logIn(email, 'wrong one')).to.deep.equal([401, 'invalid_credentials'])
    }
    expect(await there.logIn(email, password)).to.deep.equal([429, 'too_many_attempts'])
    expect(await logIn(email)).to.deep.equal([200, 'in'])
  })
})
