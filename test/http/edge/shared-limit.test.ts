import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { type Rate } from '#http/edge/limit/limit.ts'
import { route } from '#http/edge/route.ts'
import { drawIn, SharedLimiter, type Draw } from '#http/edge/limit/shared-limit.ts'
import { t } from '#engine/value/schema.ts'
import { caller, served } from '#test/http/serving.ts'
import { testProduct } from '#test/harness/product.ts'

const perOrg: Rate = { name: 'default', perMinute: 600, burst: 120 }

describe('a limiter of several processes [LIM-04]', () => {
  let now: number
  let key: string
  let draws: number
  let draw: Draw
  const clock = () => now
  const process = () => new SharedLimiter(draw, clock)
  const took = async (limiter: SharedLimiter, times: number, rate = perOrg) => {
    const all = await Promise.all(Array.from({ length: times }, () => limiter.take(rate, key)))
    return all.filter(({ isAllowed }) => isAllowed).length
  }

  before(async () => {
    const { connections } = await testProduct()
    const inStore = drawIn(() => connections.orm.em.fork())
    draw = (drawing) => {
      draws++
      return inStore(drawing)
    }
  })
  beforeEach(() => {
    now = Date.parse('2026-06-01T12:00:00Z')
    key = randomUUID()
    draws = 0
  })

  it('says the same as one of a single process', async () => {
    const one = process()
    expect(await one.take(perOrg, key)).to.deep.equal({ isAllowed: true, left: 119, fullIn: 1, retryAfter: 0 })
    expect(await took(one, 118)).to.equal(118)
    expect(await one.take(perOrg, key)).to.deep.equal({ isAllowed: true, left: 0, fullIn: 12, retryAfter: 0 })
    expect(await one.take(perOrg, key)).to.deep.equal({ isAllowed: false, left: 0, fullIn: 12, retryAfter: 1 })
    expect(one.isOpen(perOrg, key)).to.equal(false)
    now += 100
    expect([await took(one, 1), await took(one, 1)]).to.deep.equal([1, 0])
    now += 12_000
    expect(await one.take(perOrg, key)).to.deep.include({ isAllowed: true, left: 119 })
  })

  it('lets all processes together have what one may have, whichever is asked', async () => {
    const [a, b, c] = [process(), process(), process()]
    const first = await Promise.all([took(a, 150), took(b, 150), took(c, 150)])
    expect(first.reduce((sum, n) => sum + n)).to.equal(120)
    // Ten a second, handed out where they are asked for.
    now += 1_000
    expect((await took(a, 30)) + (await took(b, 30))).to.equal(10)
  })

  it('asks the store for a portion, not for each request, and not again while nothing can be left', async () => {
    const one = process()
    expect(await took(one, 120)).to.equal(120)
    expect(draws).to.equal(10)
    expect(await took(one, 500)).to.equal(0)
    expect(draws).to.equal(10)
  })

  it('asks the store for portions, not for single requests, by one who is far beyond the rate', async () => {
    const fast: Rate = { name: 'fast', perMinute: 60_000, burst: 100 }
    const one = process()
    expect(await took(one, 200, fast)).to.equal(100)
    draws = 0
    let allowed = 0
    for (let ms = 1; ms <= 1_000; ms++) {
      now += 1
      allowed += await took(one, 2, fast)
    }
    expect(draws).to.be.at.most(200)
    expect(allowed).to.be.within(950, 1_000)
  })

  it('gives back what it drew and did not hand out', async () => {
    const [a, b] = [process(), process()]
    const slow: Rate = { name: 'slow', perMinute: 6, burst: 120 }
    expect(await took(a, 1, slow)).to.equal(1)
    now += 5_000
    // The eleven that were kept go back, and as many are drawn anew: of 120 and a half 118 are left, and none is handed out twice.
    expect(await took(a, 1, slow)).to.equal(1)
    expect((await took(b, 200, slow)) + (await took(a, 200, slow))).to.equal(118)
  })

  it('keeps keys and rates apart', async () => {
    const one = process()
    expect(await took(one, 121)).to.equal(120)
    expect(await took(one, 1, { ...perOrg, name: 'other' })).to.equal(1)
    key = randomUUID()
    expect(await took(one, 1)).to.equal(1)
  })

  it('counts on from a clock that was set back, and gives nothing for it', async () => {
    const one = process()
    await took(one, 120)
    now -= 3_600_000
    expect(await took(one, 1)).to.equal(0)
    now += 1_000
    expect(await took(one, 20)).to.equal(10)
  })

  it('limits by itself where the store fails, and asks it again after five seconds', async () => {
    let isAway = true
    const one = new SharedLimiter((drawing) => (isAway ? Promise.reject(new Error('away')) : draw(drawing)), clock)
    expect(await took(one, 130)).to.equal(120)
    isAway = false
    now += 4_999
    await took(one, 1)
    expect(draws).to.equal(0)
    now += 1
    expect(await took(one, 1)).to.equal(1)
    expect(draws).to.equal(1)
  })
})

describe('two edges of one product [LIM-04]', () => {
  const routes = [
    route({
      method: 'GET',
      path: '/things',
      summary: '',
      permission: 'user',
      reply: t.Object({}),
      handle: async () => ({}),
    }),
  ]
  const at = Date.parse('2026-06-01T12:00:00Z')
  const orgId = randomUUID()
  const scope = { caller: async () => ({ ...caller(), orgId }), services: () => ({}) as never }
  const address: Rate = { name: 'auth', perMinute: 20, burst: 20 }
  const limits = () => ({
    limiter: new SharedLimiter(
      async (drawing) => {
        const { orm } = (await testProduct()).connections
        return drawIn(() => orm.em.fork())(drawing)
      },
      () => at,
    ),
    rates: { caller: { ...perOrg, perMinute: 60, burst: 12 }, auth: address, inbound: address },
  })
  const sites = [served(routes, scope, { limits: limits() }), served(routes, scope, { limits: limits() })]

  it('let an organization ask as often as its rate says, not each', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => sites[n % 2]!.get('/things')))
    expect(answers.filter(({ status }) => status === 200)).to.have.length(12)
    const [late] = answers.filter(({ status }) => status === 429)
    const headers = ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => late!.headers.get(name))
    expect(headers).to.deep.equal(['"default";q=60;w=60', '"default";r=0;t=12', '1'])
  })
})
