/** Recommendations from the finding to what people make of them, by the API alone: scenario S-24. */
import { expect } from 'chai'
import { findingEnded, findingRaised } from '#streams/recommendation.ts'
import { internalToken } from '#http/identity/session/authenticate.ts'
import { deriveKey, sealKey } from '#config/secrets/seal.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { uuidOf } from '#engine/value/id.ts'
import { ask, colleague, founder, type Founder } from '#test/harness/people.ts'
import { recommended } from '#test/harness/recommendation.ts'
import { tenant, testProduct, until, type Answer } from '#test/harness/product.ts'
import { amount } from '#test/harness/tier.ts'

const secret = deriveKey(sealKey(Buffer.alloc(32, 7).toString('base64')), 'internal-token').toString('base64')
const [example] = findingRaised.examples
const told = ({ status, body }: Answer) => [status, body?.code]

describe('a recommendation [S-24]', () => {
  let ana: Founder
  let id: string
  const send = (method: string, path: string, body?: object, token = ana.accessToken) =>
    ask(method, `/recommendations${path}`, { token, ...(body && { body }) })
  const data = async (path: string) => (await send('GET', path)).body.data
  const events = async (of = id) => (await data(`/${of}/history`)).map((one: any) => one.event)
  const decide = (body: object, token?: string) => send('PATCH', `/${id}`, body, token)

  /** What the audit of a resource would say, of a resource of its own; the id of the recommendation. */
  async function found(resourceUid: string): Promise<string> {
    const recommendationId = uuidOf('recommendation', ana.orgId, 'acct-1', resourceUid, 'RC-1001')
    const finding = { ...example!.finding, resourceUid }
    const { product } = await testProduct()
    const raised = { cloudAccountId: 'acct-1', recommendationId, n: 1, finding }
    await product.get(tokens.publisher).publish({ subject: findingRaised, orgId: ana.orgId, data: raised })
    await until('the recommendation', async () => (await send('GET', `/${recommendationId}/history`)).status === 200)
    return recommendationId
  }

  before(async () => void (ana = await founder()))
  beforeEach(async () => void (id = await found(`i-${Math.random()}`)))

  it('is applied, opened again and dismissed, each once in its history, and answered as it is then [REC-42] [REC-43] [REC-44] [REC-45]', async () => {
    const steps = amount(3, 4, 4)
    for (const status of ['applied', 'open', 'dismissed', 'open'].slice(0, steps)) {
      const { status: code, body } = await decide({ status })
      expect([code, body.data.id, body.data.status]).to.deep.equal([200, id, status])
      // The same again changes nothing.
      expect((await decide({ status })).status).to.equal(200)
      expect((await data(`/${id}/detail`)).status).to.equal(status)
    }
    expect(await events()).to.deep.equal(
      ['generated', 'applied', 'reopened', 'dismissed', 'reopened'].slice(0, steps + 1),
    )
    const [first, second] = await data(`/${id}/history`)
    expect([first.actor, first.actorType, second.actor, second.actorType]).to.deep.equal([
      'system',
      'system',
      ana.userId,
      'user',
    ])
  })

  it('does not go from applied to dismissed, nor back [REC-46]', async () => {
    await decide({ status: 'applied' })
    expect(told(await decide({ status: 'dismissed' }))).to.deep.equal([409, 'invalid_transition'])
    await decide({ status: 'open' })
    await decide({ status: 'dismissed' })
    expect(told(await decide({ status: 'applied' }))).to.deep.equal([409, 'invalid_transition'])
    expect(told(await decide({ status: 'optimised' }))).to.deep.equal([400, 'validation_failed'])
  })

  it('is dismissed until a time, with a note in its history', async () => {
    const snoozeUntil = new Date(Date.now() + 30 * 86_400_000).toISOString()
    const { data: record } = (await decide({ status: 'dismissed', snoozeUntil, note: 'In February' })).body
    expect(record).to.include({ status: 'dismissed', snoozedUntil: snoozeUntil })
    expect((await data(`/${id}/history`)).at(-1)).to.include({ event: 'dismissed', note: 'In February' })
    expect((await decide({ status: 'open' })).body.data).not.to.have.property('snoozedUntil')
  })

  it('is written down for administrators when it is decided, and not when nothing changes', async () => {
    await decide({ status: 'applied' })
    await decide({ status: 'applied' })
    const path = '/security-events?type=recommendation_decided&limit=100'
    const { items } = (await ask('GET', path, { token: ana.accessToken })).body.data
    const own = items.filter((one: any) => one.detail.recommendationID === id)
    expect(own.map((one: any) => [one.userID, one.detail.status, one.detail.ruleID])).to.deep.equal([
      [ana.userId, 'applied', 'RC-1001'],
    ])
  })

  it('notes each person who opens it once, and no service [REC-12] [REC-52] [REC-53]', async () => {
    const ben = await colleague(ana, 'viewer')
    const service = internalToken(secret, 'mailer', new Date(), ana.orgId)
    const before = (await data(`/${id}/detail`)).updatedAt
    for (const token of [ana.accessToken, ana.accessToken, ana.accessToken, ben.accessToken, service])
      expect((await send('POST', `/${id}/viewed`, undefined, token)).status).to.equal(204)
    const history = await data(`/${id}/history`)
    expect(history.map((one: any) => [one.event, one.actor])).to.deep.equal([
      ['generated', 'system'],
      ['viewed', ana.userId],
      ['viewed', ben.userId],
    ])
    expect((await data(`/${id}/detail`)).updatedAt).to.equal(before)
  })

  it('has a key in the activity of 200, of which one is another organization’s [REC-51]', async () => {
    const { product: _, ...world } = await testProduct()
    const own = await recommended(
      { ...world, orgId: ana.orgId },
      ...Array.from({ length: 198 }, (_each, n) => ({ rule_id: `RC-${n}` })),
    )
    const [foreign] = await recommended(await tenant(), {})
    const activity = await data(`/activity?rec_id=${[id, ...own, foreign].join(',')}`)
    expect(Object.keys(activity)).to.have.members([id, ...own])
    expect([activity[id].map((one: any) => one.event), activity[own[0]!]]).to.deep.equal([['generated'], []])
  })

  it('is optimised once nothing is found any more, and cannot be opened by hand then [REC-46] [REC-47]', async () => {
    const before = await data('/summary')
    const { product } = await testProduct()
    const ended = { cloudAccountId: 'acct-1', recommendationId: id, n: 2, why: 'cleared' } as const
    await product.get(tokens.publisher).publish({ subject: findingEnded, orgId: ana.orgId, data: ended })
    await until('the end', async () => (await data(`/${id}/detail`)).status === 'optimised')
    expect((await events()).at(-1)).to.equal('closed')
    const after = await data('/summary')
    expect([after.optimisedCount - before.optimisedCount, after.totalOpen - before.totalOpen]).to.deep.equal([1, -1])
    expect(told(await decide({ status: 'open' }))).to.deep.equal([409, 'invalid_transition'])
  })
})

describe('the catalogue of rules, whole [REC-54] [G-67]', () => {
  it('has 337 rules and more, at least 155, 75 and 107 of the three providers, and says which are overridden', async () => {
    const org = await tenant()
    const get = async (query: string) => (await org.get(`/recommendations/rule-catalog?${query}`)).body.data
    const { counts, total, items } = await get('size=1')
    expect(items).to.have.length(1)
    expect(total).to.equal(counts.total)
    expect(counts.aws).to.be.at.least(155)
    expect(counts.gcp).to.be.at.least(75)
    expect(counts.azure).to.be.at.least(107)
    expect(counts.total).to.be.at.least(337)
    const ids = new Set<string>()
    for (let page = 1; ids.size < total; page++) {
      const found = (await get(`size=100&page=${page}`)).items
      expect(found.length, String(page)).to.be.above(0)
      for (const rule of found) {
        expect(rule.ruleId).to.match(/^RC-(ASC-00[1-6]|\d+)$/)
        expect([rule.retired, rule.overridden], rule.ruleId).to.deep.equal([false, false])
        ids.add(rule.ruleId)
      }
    }
    const policy = { domain: 'recommendation', targetType: 'organisation', name: 'No labels', enabled: true }
    await org.send('POST', '/policies', { ...policy, spec: { ruleId: 'RC-1001', enabled: false } })
    const [first] = (await get('search=RC-1001')).items
    expect([first.ruleId, first.overridden]).to.deep.equal(['RC-1001', true])
  })
})
