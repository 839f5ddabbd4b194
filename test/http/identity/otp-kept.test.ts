/** How many one-time passwords are sent and tried, from where and until when: without requests and mails. */
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { issueCode, redeemCode, type SignUp } from '#http/identity/session/otp.ts'
import type { Purpose } from '#http/identity/session/session-entity.ts'
import { passwordReplaced } from '#http/identity/session/throttle.ts'
import type { IdentityTools } from '#http/identity/tools.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { address } from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'
import { amount } from '#test/harness/tier.ts'

/** Codes that are not `right`, all different. */
const wrong = (right: string, count = 1): string[] =>
  Array.from({ length: count }, (_, i) => String((Number(right) + i + 1) % 1_000_000).padStart(6, '0'))

describe('one-time passwords as they are kept', () => {
  let tools: IdentityTools
  let at: number
  let email: string
  before(async () => {
    const identity = (await testProduct()).product.get(tokens.identity)
    tools = { ...identity, now: () => new Date(at) }
  })
  beforeEach(() => {
    at = Date.parse('2026-06-01T12:00:00Z')
    email = address()
  })
  const [own, elsewhere] = ['203.0.113.9', '198.51.100.1']
  const blocks = (count: number) => Array.from({ length: count }, (_, n) => `198.51.100.${10 + n}`)
  const minutes = (count: number) => void (at += count * 60_000)
  const seconds = (count: number) => void (at += count * 1000)
  interface More {
    purpose?: Purpose
    signUp?: SignUp
    to?: string
  }
  const issue = (block: string, { purpose = 'reset', signUp: said, to = email }: More = {}) =>
    issueCode(tools.em(), tools, { email: to, purpose, block }, true, said)
  const isSent = async (block: string) => (await issue(block)) !== undefined
  /** What a sign-up said whose code is taken; `taken` where none said anything, else the code of the refusal. */
  const redeem = async (block: string, code: string, { purpose = 'reset', to = email }: More = {}) => {
    try {
      const said = await redeemCode(tools.em(), tools, { email: to, purpose, block }, code)
      return said?.passwordHash ?? 'taken'
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return error.code
    }
  }

  it('are good for ten minutes, for their address and their purpose alone [AUTH-04] [AUTH-09]', async () => {
    const code = (await issue(own))!
    const other = wrong(code)[0]!
    expect(code).to.match(/^\d{6}$/)
    expect(await redeem(own, other)).to.equal('invalid_otp')
    expect(await redeem(own, code, { to: address() })).to.equal('invalid_otp')
    expect(await redeem(own, code, { purpose: 'verify' })).to.equal('invalid_otp')
    minutes(9)
    expect(await redeem(own, code)).to.equal('taken')
    expect(await redeem(own, code), 'again').to.equal('invalid_otp')
    const late = (await issue(own))!
    minutes(10)
    expect(await redeem(own, late)).to.equal('invalid_otp')
    const there = (await issue(own))!
    minutes(10)
    expect(await redeem(elsewhere, there), 'nor where another asked').to.equal('invalid_otp')
  })

  it('have five tries at once where they were asked for [AUTH-04]', async () => {
    const code = (await issue(own))!
    const tries = await Promise.all(wrong(code, 8).map((guess) => redeem(own, guess)))
    expect(tries.filter((one) => one === 'invalid_otp')).to.have.length(5)
    expect(tries.filter((one) => one === 'too_many_attempts')).to.have.length(3)
    expect(await redeem(own, code)).to.equal('too_many_attempts')
    minutes(10)
    expect(await redeem(own, code), 'over with the code').to.equal('invalid_otp')
  })

  it('are good for one use, however close together two come [AUTH-04]', async () => {
    for (let round = 0; round < amount(2, 20, 1000); round++) {
      const to = address()
      const code = (await issue(own, { to }))!
      const uses = await Promise.all(Array.from({ length: 5 }, () => redeem(own, code, { to })))
      expect(uses.filter((one) => one === 'taken')).to.have.length(1)
    }
  })

  it('have five tries of all other blocks together, which use up none of the own [AUTH-04]', async () => {
    const code = (await issue(own))!
    const guesses = wrong(code, 10)
    for (const [n, block] of blocks(5).entries()) expect(await redeem(block, guesses[n]!)).to.equal('invalid_otp')
    expect(await redeem(elsewhere, code), 'a sixth block, and the right one').to.equal('invalid_otp')
    for (const guess of guesses.slice(5, 9)) expect(await redeem(own, guess)).to.equal('invalid_otp')
    expect(await redeem(own, code), 'the fifth try where it was asked for').to.equal('taken')
    const next = (await issue(own))!
    for (const guess of wrong(next, 4)) await redeem('192.0.2.7', guess)
    expect(await redeem('192.0.2.7', next), 'the fifth try of others').to.equal('taken')
  })

  it('are five an hour for a block; then the newest stays good [AUTH-03] [AUTH-08]', async () => {
    const codes = [await issue(own), await issue(own), await issue(own), await issue(own), await issue(own)]
    expect(codes).to.not.include(undefined)
    expect(await isSent(own)).to.equal(false)
    expect(await isSent(elsewhere), 'another block has its own').to.equal(true)
    expect(await redeem(own, codes[4]!)).to.equal('taken')
    for (let n = 0; n < 5; n++) await issue(own, { purpose: 'verify' })
    minutes(59)
    expect(await issue(own, { purpose: 'verify' })).to.equal(undefined)
    minutes(1)
    expect(await issue(own, { purpose: 'verify' })).to.match(/^\d{6}$/)
  })

  it('confirm the sign-up of their block that they were sent for, also when they are sent again [AUTH-02] [AUTH-03]', async () => {
    const purpose = 'verify' as const
    const [ana, eve] = [
      { passwordHash: 'of ana', name: 'Ana' },
      { passwordHash: 'of eve', name: 'Eve' },
    ]
    await issue(own, { purpose, signUp: ana })
    await issue(elsewhere, { purpose, signUp: eve })
    expect(await redeem(own, (await issue(own, { purpose }))!, { purpose })).to.equal('of ana')
    email = address()
    await issue(own, { purpose, signUp: ana })
    const theirs = (await issue(elsewhere, { purpose, signUp: eve }))!
    expect(await redeem(own, theirs, { purpose }), 'whoever brings it').to.equal('of eve')
    email = address()
    let code = (await issue(own, { purpose, signUp: ana }))!
    for (let n = 0; n < 4; n++) code = (await issue(own, { purpose }))!
    expect(await issue(own, { purpose, signUp: eve }), 'a sixth').to.equal(undefined)
    expect(await redeem(own, code, { purpose })).to.equal('of ana')
  })

  it('flood no mailbox from many blocks, and keep out neither the block of a sign-in nor a new one for long [AUTH-08]', async () => {
    await passwordReplaced(tools.em(), email, own, new Date(at))
    for (const block of blocks(4)) for (let n = 0; n < 5; n++) expect(await isSent(block)).to.equal(true)
    const [fresh, next] = ['192.0.2.1', '192.0.2.2'] as const
    expect(await isSent(fresh)).to.equal(false)
    expect(await isSent(own), 'signed in from before').to.equal(true)
    seconds(19)
    expect(await isSent(fresh)).to.equal(false)
    seconds(1)
    expect(await isSent(fresh), '20 seconds after the last').to.equal(true)
    expect(await isSent(next)).to.equal(false)
    seconds(59)
    expect(await isSent(fresh), 'it has had one').to.equal(false)
    seconds(1)
    expect(await isSent(fresh), 'a minute after the last').to.equal(true)
  })
})
