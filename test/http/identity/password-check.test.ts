import { expect } from 'chai'
import { isCommon } from '#http/identity/password/password-check.ts'
import { address, ask, codeFor, mailsTo, password, person } from '#test/harness/people.ts'
import { deepIt } from '#test/harness/tier.ts'

const refusal = ({ status, body }: { status: number; body: any }) => [
  status,
  body.code,
  body.errors?.map((error: any) => `${error.in} ${error.name} ${error.code}`),
]
const weak = (field: string) => [400, 'weak_password', [`body /${field} common`]]

describe('passwords that are guessed first', () => {
  it('are the most common ones, their disguises, rows of keys, repeats and dates', () => {
    const common = ['password', 'Password1!', 'p4ssw0rd', 'drowssap', '12345678', 'qwertyuiop', 'iloveyou2024']
    for (const one of [...common, 'liverpool1', 'xxxxxxxx', 'x'.repeat(128), 'monkeymonkey', 'abcd1234', '19870512'])
      expect(isCommon(one), one).to.equal(true)
    for (const one of [
      password,
      'another good password',
      'kV9#tq2!',
      'le tre pecore nel bosco',
      'é'.repeat(3) + 'kuzTiq8',
    ])
      expect(isCommon(one), one).to.equal(false)
  })

  it('are seasons, months, days and the product with a number and a sign, and the best known passphrase', () => {
    const seasonal = [
      'Summer2026!',
      'Winter2025!',
      '$ummer2026',
      'Spr1ng-2027',
      '2026Autumn',
      'January2026',
      'Dec2025!!',
      'Friday13',
    ]
    const product = ['Tidemark2026!', 'tidemark123', 'T1demark!!', 'TIDEMARK']
    for (const one of [...seasonal, ...product, 'correcthorsebatterystaple', 'Correct-Horse-Battery-Staple!'])
      expect(isCommon(one), one).to.equal(true)
    for (const one of [password, 'summer rain on tin', 'Summer 48213 90217', 'tidemark of old shores'])
      expect(isCommon(one), one).to.equal(false)
  })

  it('are those made of the person’s own address and name', () => {
    for (const one of ['zsombor1987', 'zsombor.tamasi', 'Tamasi!!']) {
      expect(isCommon(one, ['zsombor.tamasi@example.com']), one).to.equal(true)
      expect(isCommon(one), one).to.equal(false)
    }
  })

  deepIt('take little time, however long [AUTH-02]', () => {
    isCommon('warm')
    const times = Array.from({ length: 10 }, () => {
      const began = performance.now()
      isCommon('aB3$xY9!'.repeat(16))
      return performance.now() - began
    })
    expect(Math.min(...times)).to.be.below(100)
  })

  it('are refused at sign-up, whoever has the address, and nothing is sent [AUTH-02]', async () => {
    const fresh = address()
    const { email } = await person()
    for (const who of [fresh, email]) {
      const answer = await ask('POST', '/auth/signup', { body: { email: who, password: 'Password1!', name: 'Ana' } })
      expect(refusal(answer)).to.deep.equal(weak('password'))
    }
    expect([await mailsTo(fresh), (await mailsTo(email)).length]).to.deep.equal([[], 0])
  })

  it('are refused when a new one is set by mail, and the code stays good [AUTH-09]', async () => {
    const { email } = await person()
    await ask('POST', '/auth/password/forget', { body: { email } })
    const otp = await codeFor(email)
    const reset = (newPassword: string) => ask('PATCH', '/auth/password/reset', { body: { email, otp, newPassword } })
    expect(refusal(await reset('qwerty123'))).to.deep.equal(weak('newPassword'))
    expect((await reset('another good password')).status).to.equal(200)
  })

  it('are refused when it is changed', async () => {
    const { accessToken: token } = await person()
    const body = { currentPassword: password, newPassword: 'qwerty123' }
    expect(refusal(await ask('POST', '/auth/password/change', { token, body }))).to.deep.equal(weak('newPassword'))
  })
})
