import { expect } from 'chai'
import { addDays, dayOf } from '#engine/value/day.ts'
import { anomalyFound } from '#streams/anomaly.ts'
import { accept, anomalies, before as daysBefore, day, detect, line, publish, told } from '#test/harness/anomaly.ts'
import { ask, claimsOf, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const flat = Array.from({ length: 14 }, () => 100)
const pathOf = (id: string) => `/reports/anomalies/${id}/review`
const own = async (org: Tenant, query = '') => (await anomalies(org, `&type=org${query}`)).toReversed()
const inAYear = (count: number) => addDays(dayOf(Date.now()), count)

describe('a review of an anomaly', () => {
  let org: Tenant
  const rises = async () => {
    await publish(org, [...daysBefore(flat), line(0, 200)])
    await detect(org)
  }
  let me: Tenant
  before(async () => {
    org = await tenant()
    // An owner who can be told is there before: told of it a moment after its row.
    me = await org.signedIn()
    await rises()
  })

  it('shows who said what of it, takes the place of the one before, and is absent once it is taken back', async () => {
    await until('people are told', async () => (await own(org))[0]?.notified === true)
    const [first] = await own(org)
    expect(first).not.to.have.property('review')
    const acknowledged = await me.send('PUT', pathOf(first.id), { state: 'acknowledged' })
    const { review } = acknowledged.body.data
    expect([acknowledged.status, acknowledged.body.data]).to.deep.equal([200, { ...first, review }])
    expect(Date.parse(review.at)).to.be.closeTo(Date.now(), 60_000)
    expect(review).to.deep.equal({ state: 'acknowledged', by: claimsOf(me.token)['sub'], at: review.at })
    const body = { state: 'expected', until: inAYear(400), note: 'Load "tests"' }
    const expected = await me.send('PUT', pathOf(first.id), body)
    const { at } = expected.body.data.review
    expect(expected.body.data).to.deep.equal({ ...first, review: { ...body, by: review.by, at } })
    expect(await own(org)).to.deep.equal([expected.body.data])
    await accept(org, [{ scope: { type: 'org', id: '' }, data: { date: day(0) } }])
    const [notified] = await own(org)
    expect([notified.notified, notified.review]).to.deep.equal([true, expected.body.data.review])
    const columns = 'review_state, toString(review_until) AS until, review_note, reviewed_by'
    expect(
      await org.facts(`SELECT ${columns} FROM anomalies WHERE org_id = {org:String} AND anomaly_type = 'org'`),
    ).to.deep.equal([{ review_state: 'expected', until: body.until, review_note: body.note, reviewed_by: review.by }])
    expect((await me.send('DELETE', pathOf(first.id))).status).to.equal(204)
    expect(await own(org)).to.deep.equal([{ ...first, notified: true, notifiedAt: notified.notifiedAt }])
    expect((await me.send('DELETE', pathOf(first.id))).status, 'nothing is left to take back').to.equal(204)
  })

  it('names what is wrong with it', async () => {
    const [{ id }] = await own(org)
    const refusal = async (body: object) => {
      const { status, body: problem } = await org.send('PUT', pathOf(id), body)
      return [status, problem.errors?.map((one: any) => `${one.name} ${one.code}`)]
    }
    const bodies = [
      {},
      { state: 'ignored' },
      { state: 'expected' },
      { state: 'acknowledged', until: day(3) },
      { state: 'expected', until: day(-1) },
      { state: 'expected', until: '2026-02-30' },
      { state: 'expected', until: 'tomorrow' },
      { state: 'expected', until: inAYear(402) },
      { state: 'acknowledged', note: 'x'.repeat(1001) },
    ]
    expect(await Promise.all(bodies.map(refusal))).to.deep.equal([
      [400, ['/state required']],
      [400, ['/state enum']],
      [400, ['/until required']],
      [400, ['/until unexpected']],
      [400, ['/until range']],
      [400, ['/until format']],
      [400, ['/until format']],
      [400, ['/until range']],
      [400, ['/note maxLength']],
    ])
    expect((await own(org))[0]).not.to.have.property('review')
    expect((await org.send('PUT', pathOf(id), { state: 'expected', until: day(0) })).status).to.equal(200)
  })

  it('can be asked for by its state, and for there being none', async () => {
    const all = await anomalies(org)
    const [ofOrg, ofAccount, ofResource] = ['org', 'cloud_account', 'resource'].map(
      (type) => all.find((one) => one.anomalyType === type).id as string,
    )
    await org.send('PUT', pathOf(ofOrg!), { state: 'acknowledged' })
    await org.send('PUT', pathOf(ofAccount!), { state: 'expected', until: day(3) })
    const ids = async (review: string) =>
      new Set((await anomalies(org, `&review=${review}`)).map(({ id }) => id as string))
    expect(await Promise.all(['acknowledged', 'expected', 'none', 'expected,none'].map(ids))).to.deep.equal([
      new Set([ofOrg]),
      new Set([ofAccount]),
      new Set([ofResource]),
      new Set([ofAccount, ofResource]),
    ])
    const wrong = await org.get(`/reports/anomalies?from=${day(0)}&to=${day(0)}&review=seen`)
    expect([wrong.status, wrong.body.errors.map((one: any) => one.name)]).to.deep.equal([400, ['review']])
  })

  it('is for those who may update services, of what they may see; what there is not is not found', async () => {
    const found = await anomalies(org)
    const idOf = (type: string) => found.find((one) => one.anomalyType === type).id as string
    const owner = { accessToken: org.token, orgId: org.orgId } as Founder
    const role = {
      name: 'A',
      permissions: ['space.view', 'service.view', 'service.update'],
      reportScope: { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [] },
    }
    const { id: roleId } = (await ask('POST', '/roles', { token: org.token, body: role })).body.data
    const [narrow, viewer] = [await colleague(owner, roleId), await colleague(owner, 'viewer')]
    const body = { state: 'acknowledged' }
    const put = async ({ accessToken: token }: { accessToken: string }, id: string) =>
      (await ask('PUT', pathOf(id), { token, body })).status
    const remove = async ({ accessToken: token }: { accessToken: string }, id: string) =>
      (await ask('DELETE', pathOf(id), { token })).status
    expect([await put(viewer, idOf('org')), await remove(viewer, idOf('org'))]).to.deep.equal([403, 403])
    expect([await put(narrow, idOf('org')), await remove(narrow, idOf('org'))]).to.deep.equal([404, 404])
    expect([await put(narrow, idOf('cloud_account')), await remove(narrow, idOf('cloud_account'))]).to.deep.equal([
      200, 204,
    ])
    expect([await put(owner, 'none'), await remove(owner, 'none')]).to.deep.equal([404, 404])
  })

  deepIt('is not of what was found and did not last', async () => {
    const running = { ...anomalyFound.examples[0]!, key: org.orgId, date: day(9), origin: 'running' as const }
    await org.publish(anomalyFound, [running])
    const gone = (await own(org)).at(-1).id
    await detect(org, day(9))
    const again = await org.send('PUT', pathOf(gone), { state: 'acknowledged' })
    expect([(await own(org)).length, again.status]).to.deep.equal([1, 404])
  })

  deepIt('keeps people from being told of what is expected, and records it all the same', async () => {
    org = await tenant()
    await rises()
    const heard = told(org, 'cost_anomaly')
    const [first] = await own(org)
    await org.send('PUT', pathOf(first.id), { state: 'expected', until: day(8) })
    await publish(org, [...[1, 2, 3, 4, 5, 6].map((at) => line(at, 100)), line(7, 400), line(9, 900)])
    for (const offset of [7, 9]) await detect(org, day(offset))
    expect((await own(org)).map(({ date }) => date)).to.deep.equal([day(0), day(7), day(9)])
    const ofOrg = (await heard()).filter(({ scope }) => scope.type === 'org')
    expect(ofOrg.map(({ data }) => data.date)).to.deep.equal([day(9)])
  })
})
