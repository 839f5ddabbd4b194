import { expect } from 'chai'
import { blockOf } from '#http/identity/address.ts'
import { Fault } from '#engine/value/fault.ts'
import {
  countTry,
  passwordReplaced,
  pruneThrottles,
  recordSuccess,
  type Trying,
} from '#http/identity/session/throttle.ts'
import { Throttle } from '#http/identity/session/throttle-entity.ts'
import type { IdentityTools } from '#http/identity/tools.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { askFrom } from '#test/harness/from.ts'
import { address, advance, password, person, resetClock } from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

describe('a block of addresses', () => {
  it('is an IPv4 address, however it is written, or 64 bits of IPv6', () => {
    const blocks = {
      '203.0.113.9': '203.0.113.9',
      '::ffff:203.0.113.9': '203.0.113.9',
      '::ffff:cb00:7109': '203.0.113.9',
      '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
      '2001:0DB8:0001:0002::': '2001:db8:1:2::/64',
      'fe80::1%eth0': 'fe80:0:0:0::/64',
      '::1': '0:0:0:0::/64',
      nonsense: 'nonsense',
      '': 'none',
    }
    for (const [ip, block] of Object.entries(blocks)) expect(blockOf(ip), ip).to.equal(block)
    expect(blockOf('x'.repeat(1000))).to.have.length(64)
  })
})

describe('tries at an account', () => {
  let tools: IdentityTools
  let at: number
  let account: string
  const own = '203.0.113.9'
  const stranger = '198.51.100.1'
  const by = (ip: string, purpose: Trying['purpose'] = 'login'): Trying => ({ purpose, account, ip })
  /** Seconds to wait; 0 for a try that may be made. */
  const tried = async (ip: string, purpose?: Trying['purpose'], process = tools): Promise<number> => {
    try {
      await countTry(process, by(ip, purpose))
      return 0
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'too_many_attempts') throw error
      return error.detail['retryAfter'] as number
    }
  }
  const waits = async (ip: string, times: number, purpose?: Trying['purpose']): Promise<number[]> => {
    const all = []
    for (let n = 0; n < times; n++) all.push(await tried(ip, purpose))
    return all
  }

  before(async () => {
    const identity = (await testProduct()).product.get(tokens.identity)
    tools = { ...identity, now: () => new Date(at) }
  })
  beforeEach(() => {
    at = Date.parse('2026-06-01T12:00:00Z')
    account = address()
  })

  it('are five, then pauses double from a second on, and ten end the 15 minutes [AUTH-01]', async () => {
    expect(await waits(own, 6)).to.deep.equal([0, 0, 0, 0, 0, 1])
    for (const pause of [1, 2, 4, 8, 16]) {
      expect(await tried(own)).to.equal(pause)
      at += pause * 1000 - 1
      expect(await tried(own), 'a moment early').to.equal(1)
      at += 1
      expect(await tried(own)).to.equal(0)
    }
    // 31 of 900 seconds are over.
    expect(await tried(own)).to.equal(869)
    at += 868_999
    expect(await tried(own)).to.equal(1)
    at += 1
    expect(await waits(own, 6)).to.deep.equal([0, 0, 0, 0, 0, 1])
  })

  it('keep out the block that fails and no other [AUTH-01]', async () => {
    await waits(stranger, 5)
    expect([await tried(stranger), await tried(own)]).to.deep.equal([1, 0])
    expect(await tried('2001:db8:1:2::1')).to.equal(0)
    await waits('2001:db8:1:2::2', 4)
    expect(await tried('2001:db8:1:2:ffff::3'), 'of one network').to.equal(1)
    expect(await tried('2001:db8:1:3::1')).to.equal(0)
  })

  it('start anew after a success', async () => {
    await waits(own, 5)
    expect(await tried(own)).to.equal(1)
    await recordSuccess(tools, by(own))
    expect(await waits(own, 6)).to.deep.equal([0, 0, 0, 0, 0, 1])
  })

  it('are shared by processes, whose clocks may differ by seconds [AUTH-01]', async () => {
    const other = { ...tools, now: () => new Date(at - 5_000) }
    for (let n = 0; n < 5; n++) expect(await tried(own, 'login', n % 2 ? other : tools)).to.equal(0)
    expect(await tried(own, 'login', tools)).to.be.within(1, 6)
    expect(await tried(own, 'login', other)).to.be.within(1, 6)
  })

  /** Five wrong passwords from each of twenty blocks, at a time when nothing stands against the account but what was known of it. */
  const distributed = async () => {
    for (let n = 0; n < 100; n++) expect(await tried(`198.51.100.${n % 20}`)).to.equal(0)
  }
  /** What they left behind, by which an account of its own begins as one that has seen them just now. */
  let left: { at: number; rows: Throttle[] } | undefined
  const asDistributed = async () => {
    if (left?.at !== at) {
      await distributed()
      left = { at, rows: await tools.em().find(Throttle, { account }) }
      return
    }
    const em = tools.em()
    for (const { purpose, block, count, since, last, knownAt } of left.rows)
      em.persist(em.create(Throttle, { purpose, account, block, count, since, last, knownAt }))
    await em.flush()
  }

  it('from very many blocks make those that are new take turns, and never one that was signed in from [AUTH-01]', async () => {
    await tried(own)
    await recordSuccess(tools, by(own))
    await distributed()
    expect([await tried('192.0.2.1'), await tried('192.0.2.2')]).to.deep.equal([1, 2])
    expect(await tried('192.0.2.1'), 'its turn is kept').to.equal(1)
    at += 999
    expect(await tried('192.0.2.1'), 'a moment early').to.equal(1)
    at += 1
    expect([await tried('192.0.2.1'), await tried('192.0.2.2')]).to.deep.equal([0, 1])
    expect(await waits(own, 6)).to.deep.equal([0, 0, 0, 0, 0, 1])
    at += 60_000
    expect(await waits('192.0.2.2', 2), 'as late as it likes, once').to.deep.equal([0, 0])
    expect(await tried('192.0.2.3')).to.equal(1)
    await tools.em().transactional((em) => passwordReplaced(em, account, '192.0.2.4', new Date(at)))
    await distributed()
    expect(await tried('192.0.2.4'), 'set a new password by mail').to.equal(0)
    at += 900_000
    expect(await tried('192.0.2.5')).to.equal(0)
  })

  it('of a block that has failed come after those of blocks that have not, and ten of these wait at most [AUTH-01]', async () => {
    await asDistributed()
    const failed = '192.0.2.200'
    at += 1_000
    expect(await tried(failed)).to.equal(0)
    expect([await tried(failed), await tried('192.0.2.1'), await tried(failed)]).to.deep.equal([1, 1, 2])
    for (let n = 2; n <= 10; n++) expect(await tried(`192.0.2.${n}`)).to.equal(n)
    expect([await tried('192.0.2.11'), await tried('192.0.2.12')]).to.deep.equal([11, 11])
    at += 10_000
    for (let n = 1; n <= 10; n++) expect(await tried(`192.0.2.${n}`)).to.equal(0)
  })

  it('let the owner in from a new place within seconds, however often twenty strangers try [AUTH-01]', async () => {
    await asDistributed()
    const began = at
    let turn = Infinity
    while (at < began + 10_000) {
      for (let n = 0; n < 20; n++) await tried(`198.51.100.${n}`)
      if (at >= Math.min(turn, began + 2_500)) {
        const wait = await tried(own)
        if (wait === 0) break
        turn = at + wait * 1000
      }
      at += 500
    }
    expect(at - began - 2_500).to.be.within(0, 2_000)
  })

  deepIt('are 387 in 15 minutes from as many new blocks as there may be [AUTH-01]', async () => {
    const [began, length] = [at, 900_000]
    let count = 0
    for (let n = 0; at < began + length; n++) {
      const block = `192.0.${n >> 8}.${n & 255}`
      const wait = await tried(block)
      at += wait * 1000
      if (wait > 0 && at < began + length) expect(await tried(block)).to.equal(0)
      if (at < began + length) count++
    }
    // 100 at once, 50 a second apart, 50 two seconds, and four seconds apart for the 750 that are left.
    expect(count).to.equal(100 + 50 + 50 + 187)
  })

  deepIt('count when a turn is given: those that nobody comes for do not add up [AUTH-01]', async () => {
    await distributed()
    const began = at
    let given = 0
    for (let n = 0; at < began + 900_000; n++) {
      at += (await tried(`192.0.${n >> 8}.${n & 255}`)) * 1000
      given++
    }
    expect(given).to.equal(50 + 50 + 187 + 1)
  })

  it('at a second factor take turns of half a minute beyond thirty', async () => {
    for (let n = 0; n < 30; n++) expect(await tried(`198.51.100.${n}`, 'second-factor')).to.equal(0)
    expect(await tried(own, 'second-factor')).to.equal(30)
    at += 30_000
    expect(await tried(own, 'second-factor')).to.equal(0)
  })

  it('by the right password from a new place are answered by a sign-in when their turn has come [AUTH-01]', async () => {
    const { email } = await person()
    account = email
    const product = { ...tools, now: (await testProduct()).product.get(tokens.identity).now }
    for (let n = 0; n < 100; n++) await tried(`198.51.100.${n}`, 'login', product)
    const body = { provider: 'email', email, password }
    const signIn = async () => (await askFrom('127.0.3.1', 'POST', '/auth/login', { body })).status
    await tried('198.51.100.200', 'login', product)
    expect(await signIn()).to.equal(429)
    await advance(3)
    expect(await signIn()).to.equal(200)
    await resetClock()
  })

  it('are those of one account and one purpose', async () => {
    await waits(own, 5)
    expect(await tried(own, 'second-factor')).to.equal(0)
    account = address()
    expect(await tried(own)).to.equal(0)
  })

  it('count again from a clock that was set back', async () => {
    await waits(own, 5)
    at -= 3_600_000
    expect(await tried(own)).to.equal(0)
  })

  it('are forgotten when they have lost their meaning; known blocks after 90 days', async () => {
    const blocks = async () =>
      (await tools.em().find(Throttle, { account }, { orderBy: { block: 'asc' } })).map((t) => t.block)
    await tried(own)
    await recordSuccess(tools, by(own))
    await tried(stranger)
    const hours = (n: number) => new Date(at + n * 3_600_000)
    await pruneThrottles(tools.em(), hours(1.9))
    expect(await blocks()).to.deep.equal(['', stranger, own])
    await pruneThrottles(tools.em(), hours(2.1))
    expect(await blocks()).to.deep.equal([own])
    await pruneThrottles(tools.em(), hours(24 * 90 + 1))
    expect(await blocks()).to.deep.equal([])
  })
})
