// tier: deep
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { loadDemo } from '#config/demo/demo.ts'
import type { Running } from '#config/product/product.ts'
import { Progress } from '#config/process/progress.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { addDays, dayMs, dayOf, isWeekend, startOf } from '#engine/value/day.ts'
import { simulatedBills, tenant, until, type Tenant } from '#test/harness/product.ts'
import { testStores } from '#test/harness/stores.ts'

/** As many as the demo waits for before it asks what bills prove. */
const billedDays = 75

describe('what was saved in the demo organization', () => {
  let org: Tenant
  let file: string
  let today: string
  const back = (count: number) => addDays(today, -count)
  const keep = (demo: object) => writeFileSync(file, JSON.stringify(demo))
  const kept = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  const load = async () => {
    const { connections, product, url, analystsUrl } = org
    const stores = await testStores()
    const running: Running = { stores, connections, product, url, analystsUrl, metricsUrl: '', stop: async () => {} }
    return (await loadDemo(running, new Progress()))!
  }
  /** As `npm start` does, without the year before and what people would be told of it. */
  const start = async () => {
    await load()
    keep({ ...kept(), isLoaded: true })
    await (await load()).rest()
  }
  const data = async (place: string) => (await org.get(place)).body.data
  const claims = async () => (await data('/reports/savings/claims')).items as any[]
  /** Two weeks that bills prove: each weekday twice. */
  const bySource = () => data(`/reports/savings?group_by=source&from=${back(16)}&to=${back(3)}`)
  const receipt = async (find: (claim: any) => boolean) =>
    data(`/reports/savings/claims/${(await claims()).find(find).id}`)
  const dayIn = ({ days }: any, date: string) => days.find((one: any) => one.date === date)
  const figures = ({ estimatedUSD, observedUSD, verifiedUSD, reason }: any) => [
    estimatedUSD,
    observedUSD,
    verifiedUSD,
    reason,
  ]
  /** The newest day of ten to three days ago that is one. */
  const recent = (isMeant: (at: number) => boolean) =>
    [3, 4, 5, 6, 7, 8, 9, 10].map(back).find((day) => isMeant(startOf(day)))!
  const midweek = () => recent((at) => [2, 3, 4, 5].includes(new Date(at).getUTCDay()))

  /** Requests so far to what agents ask, by method, route and status. */
  const answered = async (): Promise<Record<string, number>> => {
    const text = await org.product.get(tokens.meter).registry.metrics()
    const counted = text.matchAll(/^tidemark_http_requests_total\{(.*)\} (\d+)$/gm)
    return Object.fromEntries([...counted].map(([, line, count]) => [line!, Number(count)]))
  }
  let atFirst: Record<string, number>

  before(async function () {
    this.timeout(240_000)
    org = await tenant()
    file = path.join(org.connections.settings.dataDir, 'demo.json')
    today = org.product.get(tokens.clouds).simulated.world.today
    simulatedBills.areOn = true
    simulatedBills.since = dayOf(new Date(Date.now() - billedDays * dayMs))
    keep({ orgId: org.orgId, token: org.token, isLoaded: false })
    atFirst = await answered()
    await start()
    await until('what bills prove', async () => (await bySource()).totals.provedDays === 42)
  })
  after(() => {
    Object.assign(simulatedBills, { areOn: false, since: '' })
    rmSync(file, { force: true })
  })

  it('is there beside an agent that has asked what rose most last month, and for the lines behind that', async () => {
    const now = await answered()
    const since = Object.fromEntries(Object.entries(now).map(([line, count]) => [line, count - (atFirst[line] ?? 0)]))
    expect(since).to.include({
      'method="POST",route="/mcp",status="200"': 2,
      'method="GET",route="/reports/drivers",status="200"': 1,
      'method="GET",route="/reports/receipt",status="200"': 1,
    })
  })

  it('differs by what it rests on, source by source', async () => {
    const { items } = await bySource()
    const said = items.map((item: any) => [
      item.key,
      ...[item.estimatedUSD, item.observedUSD, item.verifiedUSD].map((usd) => Number(usd.toFixed(10))),
      item.provedDays,
      item.unprovedDays,
    ])
    expect(said).to.have.deep.members(
      [
        // Resized: 5.088 a day; of a Monday and a Saturday a part was seen, of 12 office hours 0.212 are proved. Stopped: 2.304 a day,
        // 24 x 0.384 seen, of which it had run 6 hours.
        ['recommendation', 14 * (5.088 + 2.304), 50.88 + 14 * 9.216, 10 * 2.544 + 14 * 2.304, 28, 0],
        ['schedule', 0, 10 * 4.08 + 4 * 8.16, 10 * 4.08 + 4 * 8.16, 14, 0],
        // Of eight of the days, none of which is proved.
        ['manual', 0, 8 * 9.216, 0, 0, 8],
      ].map(([key, ...usd]) => [key, ...usd.map((one) => Number(Number(one).toFixed(10)))]),
    )
  })

  it('is estimated, seen and proved of a machine that runs as another size, and less', async () => {
    const resized = await receipt(({ ruleID }) => ruleID === 'RC-1101')
    expect(resized.baseline).to.include({ days: 28, unitPriceUSD: '0.384' })
    const worked = dayIn(resized, midweek())
    expect(figures(worked)).to.deep.equal(['5.088', '5.088', '2.544', null])
    expect(worked.levels.map(({ hours, totalUSD }: any) => [hours, totalUSD])).to.deep.equal([
      ['12', '4.608'],
      ['12', '2.064'],
    ])
    const rested = dayIn(
      resized,
      recent((at) => new Date(at).getUTCDay() === 0),
    )
    expect(figures(rested)).to.deep.equal(['5.088', '0', '0', null])
    const { items } = await data('/recommendations?status=optimised')
    const history = await data(`/recommendations/${resized.sourceID}/history`)
    expect(items.map(({ ruleId }: any) => ruleId)).to.have.members(['RC-1001', 'RC-1101'])
    expect(history.map(({ event }: any) => event)).to.deep.equal(['generated', 'applied', 'closed'])
  })

  it('is more to see than to prove of a machine that ran by night alone before it was stopped', async () => {
    const stopped = await receipt(({ ruleID }) => ruleID === 'RC-1001')
    expect(stopped.baseline.hoursByWeekday).to.deep.equal(Array.from({ length: 7 }, () => '6'))
    expect(figures(dayIn(stopped, midweek()))).to.deep.equal(['2.304', '9.216', '2.304', null])
  })

  it('is proved of a schedule to the cent, and its schedule goes on', async () => {
    const scheduled = await receipt(({ source }) => source === 'schedule')
    expect(scheduled).to.include({ status: 'running', until: null })
    expect(figures(dayIn(scheduled, midweek()))).to.deep.equal([null, '4.08', '4.08', null])
    expect(figures(dayIn(scheduled, recent(isWeekend)))).to.deep.equal([null, '8.16', '8.16', null])
    const schedules = (await data('/schedules')).items.map(({ id, name }: any) => [id, name])
    expect(schedules).to.deep.include([scheduled.sourceID, 'Test farm'])
  })

  it('says why no bill proves it, of a machine of an account that is too young', async () => {
    const young = await receipt(({ source, observedUSD }) => source === 'manual' && observedUSD > 50)
    expect(young).to.include({ baseline: null, baselineReason: 'baseline_short' })
    expect(figures(dayIn(young, back(5)))).to.deep.equal([null, '9.216', null, 'baseline_short'])
  })

  it('has a savings plan that is not used up and ends within three months', async () => {
    const { items, totals } = await data(`/reports/commitments?from=${back(16)}&to=${back(3)}`)
    const plan = items.find(({ type }: any) => type === 'Savings Plan')
    expect(plan).to.include({
      commitmentId: 'savingsplan-sim-compute-3y',
      committedUSD: '235.2',
      usedUSD: '182.89152',
      unusedUSD: '52.30848',
      utilization: 0.7776,
      expiresOn: addDays(today, 75),
    })
    expect(totals).to.include({ unusedUSD: '52.30848', expiringWithin90Days: 1 })
    expect(totals.coverage).to.be.within(0.01, 0.99)
  })

  it('has a reservation that is marked expired, on the last day that bills name it', async () => {
    const { items, totals } = await data('/reports/commitments')
    const ends = items.map((one: any) => [one.commitmentId, one.expiresOn, one.expiryFrom, one.status])
    expect(ends).to.have.deep.members([
      ['savingsplan-sim-compute-3y', addDays(today, 75), 'inventory', 'active'],
      ['ri-sim-checkout-1y', back(21), 'observed', 'expired'],
      ['reservation-sim-e8s-3y', null, null, 'active'],
      ['commitment-sim-n2-1y', null, null, 'active'],
    ])
    expect([totals.expired, totals.expiringWithin90Days, totals.withoutKnownEnd]).to.deep.equal([1, 1, 2])
  })

  it('is there once, though a start was interrupted', async function () {
    this.timeout(180_000)
    const said = async () => [await claims(), (await data('/schedules')).items.length, await bySource()]
    const before = await said()
    const { isPast, isSaved, isProved, ...interrupted } = kept()
    expect([isPast, isSaved, isProved]).to.deep.equal([true, true, true])
    keep({ ...interrupted, isLoaded: false })
    await start()
    const after = await said()
    const lasting = ([all, ...rest]: any[]) => [all.map(({ id, from, status }: any) => [id, from, status]), ...rest]
    expect(lasting(after)).to.deep.equal(lasting(before))
  })
})
