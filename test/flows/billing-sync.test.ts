import { expect } from 'chai'
import { firstMonth, newestDay } from '#actors/billing/days.ts'
import { addDays, addMonths, firstOf, monthOf, monthsBetween } from '#engine/value/day.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import type { SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { days } from '#engine/value/day.ts'
import { advance, ask, colleague, resetClock, type Founder } from '#test/harness/people.ts'
import { tenant, testProduct, until, type Tenant, simulatedBills } from '#test/harness/product.ts'
import { amount, deepIt, isDeep } from '#test/harness/tier.ts'

/** The billing export of one account: a line of one dollar a day. */
interface Export {
  since: string
  /** Days that were asked for, as `from..to`. */
  asked: string[]
  /** Rejects what it names. */
  refuses?: (from: string) => Error | undefined
  change?: (line: BillingLine) => BillingLine | undefined
  /** A warning about the file that has the first day. */
  warnsOf?: string
}

const narrow = { code: 'encoding_windows_1252', message: 'The text was read as Windows-1252.' }

const lineOf = (cloudAccountId: string, day: string): BillingLine => ({
  lineId: `${day}/i-1/run`,
  cloudAccountId,
  provider: 'aws',
  resourceUid: 'i-1',
  serviceName: 'ec2',
  usageDate: day,
  costUSD: 1,
  exportedAt: `${day}T12:00:00Z`,
})

describe('billing sync', () => {
  let org: Tenant
  let cloud: SimulatedCloud
  let bill: SimulatedCloud['bill']
  /** By external id. */
  const exports = new Map<string, Export>()
  const newest = () => newestDay(new Date())
  /** The first day of the month `count - 1` before that of the newest day. */
  const monthsAgo = (count: number) => firstOf(addMonths(monthOf(newest()), 1 - count))

  before(async () => {
    simulatedBills.areOn = true
    cloud = (await testProduct()).product.get(tokens.clouds).simulated
    bill = cloud.bill.bind(cloud)
    cloud.bill = (account, from, to, refusals) => {
      const found = exports.get(account.externalId)
      if (found?.warnsOf === from) refusals?.warnings.ofFile('costs.csv', narrow)
      return found ? read(found, account.id, from, to) : bill(account, from, to)
    }
  })
  after(() => {
    simulatedBills.areOn = false
    cloud.bill = bill
  })
  beforeEach(async () => {
    exports.clear()
    org = await tenant()
  })
  afterEach(async () => {
    cloud.faults.set({ faults: [] })
    await resetClock()
  })

  async function* read(from: Export, id: string, first: string, last: string): AsyncGenerator<BillingLine[]> {
    from.asked.push(`${first}..${last}`)
    const error = from.refuses?.(first)
    if (error) throw error
    for (const day of days(first < from.since ? from.since : first, last)) {
      const line = lineOf(id, day)
      yield [from.change ? from.change(line) : line].filter((made) => made !== undefined)
    }
  }

  /** Few days of bills, where it does not matter how many. */
  const few = () => ({ since: addDays(newest(), amount(-4, -9, -9)) })
  const connect = async (externalID: string, more: Partial<Export> = {}): Promise<string> => {
    if (!externalID.startsWith('sim-')) exports.set(externalID, { since: monthsAgo(2), asked: [], ...more })
    const body = { name: externalID, provider: 'aws', externalID }
    const { status, body: made } = await org.send('POST', '/cloud-accounts', body)
    expect(status).to.equal(201)
    return made.data.id
  }
  const entries = async (): Promise<any[]> => (await org.get('/billing/sync-status')).body.data
  const settled = async (): Promise<any[]> => {
    const moving = new Set(['pending', 'backfilling', 'syncing'])
    await until('the syncs to end', async () => (await entries()).every(({ status }) => !moving.has(status)))
    return entries()
  }
  const verify = async () => {
    const { status, body } = await org.send('POST', '/billing/verify')
    expect([status, body.data.status]).to.deep.equal([202, 'queued'])
    return body.data.jobID as string
  }
  const nightly = async () => {
    const { status } = await org.send('POST', '/internal/jobs/billing-sync/run', { orgId: org.orgId })
    expect(status).to.equal(202)
  }
  const costs = async (): Promise<Record<string, number>> => {
    const rows = await org.facts(
      `SELECT cloud_account_id AS id, toFloat64(sum(billed_cost)) AS cost FROM cost_daily
       WHERE org_id = {org:String} GROUP BY id`,
    )
    return Object.fromEntries(rows.map(({ id, cost }) => [id, cost]))
  }
  /** What a night reads whose last one was had. */
  const nightMonths = () => monthsBetween(firstMonth(newest(), newest()), monthOf(newest()))
  const daysSince = (day: string) => [...days(day, newest())].length

  it('reads thirteen months of a new account, or as many as there are, and shows each account [BILL-01] [BILL-03] [BILL-07]', async () => {
    // The turn tests of the actor show the thirteenth month; each day here is a message of its own.
    const [sinceLong, sinceShort] = isDeep
      ? [monthsAgo(24), monthsAgo(5)]
      : [addDays(newest(), -6), addDays(newest(), -3)]
    const monthsSince = (day: string) => monthsBetween(monthOf(day), monthOf(newest())).length
    const long = await connect('export-long', { since: sinceLong })
    const month = monthOf(newest())
    const short = await connect('export-short', { since: sinceShort, warnsOf: firstOf(month) })
    const found = await settled()
    const shown = (cloudAccountID: string, i: number, monthsBackfilled: number) => {
      const { lastSyncedAt } = found[i]
      expect(Date.parse(lastSyncedAt)).to.be.within(performance.timeOrigin, Date.now() + 1000)
      return { cloudAccountID, provider: 'aws', driver: 'simulated', lastSyncedAt, status: 'ok', monthsBackfilled }
    }
    const months = Math.min(13, monthsSince(sinceLong))
    const { code, message: reason } = narrow
    const warnings = [{ period: month, code, reason, count: 1, rows: [{ file: 'costs.csv' }] }]
    expect(found).to.deep.equal([shown(long, 0, months), { ...shown(short, 1, monthsSince(sinceShort)), warnings }])
    expect(exports.get('export-short')!.asked).to.have.length(monthsSince(sinceShort) + 1)
    const whole = { [long]: daysSince(isDeep ? monthsAgo(months) : sinceLong), [short]: daysSince(sinceShort) }
    await until('the days to be added up', async () => {
      const seen = await costs()
      return seen[long] === whole[long] && seen[short] === whole[short]
    })
    expect(await costs()).to.deep.equal(whole)
    const { rows } = await org.connections.store.pool.query(
      'select distinct billing_closed_day as day from cloud_account where org_id = $1',
      [org.orgId],
    )
    expect(rows).to.deep.equal([{ day: newest() }])
  })

  deepIt(
    'shows an account that was never synced as pending, to those alone who may see its costs [BILL-01]',
    async () => {
      await org.publish(billingLine, [lineOf('fed', newest()), lineOf('other', newest())])
      const of = (cloudAccountID: string) => ({
        cloudAccountID,
        provider: 'aws',
        driver: 'simulated',
        lastSyncedAt: null,
        status: 'pending',
      })
      expect(await entries()).to.deep.equal([of('fed'), of('other')])
      const reportScope = { all: false, cloudAccountIDs: ['fed'] }
      const body = { name: 'one account', permissions: ['service.view'], reportScope }
      const role = await org.send('POST', '/roles', body)
      const ben = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, role.body.data.id)
      const shown = await ask('GET', '/billing/sync-status', { token: ben.accessToken })
      expect(shown.body.data).to.deep.equal([of('fed')])
      expect((await ask('POST', '/billing/verify', { token: ben.accessToken })).status).to.equal(403)
    },
  )

  deepIt('goes on with an interrupted history the next night, and reads no month twice [BILL-07]', async () => {
    const stop = monthsAgo(3)
    const refuses = (from: string) =>
      from <= stop ? cloudFault('user_action', 'access_denied', 'The bucket is gone.') : undefined
    const id = await connect('export-5', { since: monthsAgo(5), refuses })
    expect(await settled()).to.deep.equal([
      {
        cloudAccountID: id,
        provider: 'aws',
        driver: 'simulated',
        lastSyncedAt: null,
        status: 'failed',
        monthsBackfilled: 2,
        message: 'The bucket is gone.',
      },
    ])
    const mended = exports.get('export-5')!
    delete mended.refuses
    mended.asked = []
    await nightly()
    expect((await entries())[0]).to.deep.include({ status: 'ok', monthsBackfilled: 5 })
    expect(mended.asked.map((asked) => asked.slice(0, 10))).to.deep.equal([3, 4, 5, 6].map(monthsAgo))
    expect(await costs()).to.deep.equal({ [id]: daysSince(monthsAgo(5)) })
  })

  it('names the check that failed, account by account, and is over it once it is mended [BILL-02] [BILL-05] [BILL-06]', async () => {
    const good = await connect('export-good', few())
    const schema = await connect('export-schema', few())
    // Without lines of the last days from the beginning: stored ones would stand in for those of the export.
    const older = (line: BillingLine) => (line.usageDate! < addDays(newest(), -2) ? line : undefined)
    const quiet = await connect('export-quiet', { ...few(), change: older })
    const dark = await connect('export-dark', few())
    const before = new Map((await settled()).map(({ cloudAccountID: id, lastSyncedAt }) => [id, lastSyncedAt]))
    exports.get('export-schema')!.change = (line) => ({ ...line, BilledCost: '1', BillingCurrency: 'NOK' })
    exports.get('export-dark')!.refuses = () => cloudFault('user_action', 'access_denied', 'The bucket is gone.')
    await verify()
    const outcome = new Map((await settled()).map((entry) => [entry.cloudAccountID, entry]))
    const said = (id: string) => [outcome.get(id).status, outcome.get(id).message]
    expect(said(good)).to.deep.equal(['ok', undefined])
    expect(outcome.get(good).lastSyncedAt > before.get(good)).to.equal(true)
    expect(said(dark)).to.deep.equal(['failed', 'reachable: The bucket is gone.'])
    expect(said(quiet)).to.deep.equal(['failed', 'sample: The export has no lines for the last 3 days.'])
    expect(said(schema)).to.deep.equal([
      'failed',
      'schema: A line of the export is invalid. The line is in NOK, and there is no exchange rate to USD.',
    ])
    for (const id of [schema, quiet, dark]) expect(outcome.get(id).lastSyncedAt).to.equal(before.get(id))

    for (const name of ['export-schema', 'export-quiet']) delete exports.get(name)!.change
    delete exports.get('export-dark')!.refuses
    await verify()
    for (const entry of await settled()) {
      expect([entry.status, entry.message]).to.deep.equal(['ok', undefined])
      expect(entry.lastSyncedAt > before.get(entry.cloudAccountID)).to.equal(true)
    }
  })

  deepIt('takes what producers sent for the sample where the account has no export [BILL-05]', async () => {
    const exported = { ...lineOf('exported', newest()), exportId: 'e1' }
    await org.publish(billingLine, [exported, lineOf('fed', newest()), lineOf('old', addDays(newest(), -5))])
    await verify()
    const seen = (await settled()).map(({ cloudAccountID, status }) => [cloudAccountID, status])
    expect(seen).to.deep.equal([
      ['exported', 'ok'],
      ['fed', 'ok'],
      ['old', 'failed'],
    ])
    await nightly()
    expect((await entries()).map(({ status }) => status)).to.deep.equal(['ok', 'ok', 'ok'])
  })

  deepIt(
    "finds the bills of members in their payer's, and says what of their own does not count [BILL-05] [G-116]",
    async () => {
      const since = addDays(newest(), -4)
      const silent = { since: addDays(newest(), 1) }
      const member = await connect('111111111111', silent)
      const other = await connect('222222222222', silent)
      const named = (line: BillingLine) => ({ ...line, SubAccountId: '111111111111', costUSD: 3 })
      const payer = await connect('999999999999', { since, change: named })
      await settled()
      await until('the lines of the payer', async () => (await costs())[member] === 15)
      await verify()
      const outcome = async () => Object.fromEntries((await settled()).map((one) => [one.cloudAccountID, one]))
      const said = async () => {
        const found = await outcome()
        return [payer, member, other].map((id) => [found[id].status, found[id].message])
      }
      const unfed = ['failed', 'sample: The export has no lines for the last 3 days.']
      expect(await said()).to.deep.equal([['ok', undefined], ['ok', undefined], unfed])
      expect(await costs()).to.deep.equal({ [member]: 15 })

      exports.set('111111111111', { since, asked: [] })
      await verify()
      await until('its own bill', async () => (await said())[1]![1] !== undefined)
      const [ofPayer, ofMember, ofOther] = await said()
      const [status, message] = ofMember!
      expect([ofPayer, status, ofOther]).to.deep.equal([['ok', undefined], 'ok', unfed])
      expect(message).to.match(/: 5(\.00)? USD also appear in the bill of 999999999999 and count only there\.$/)
      expect(await costs()).to.deep.equal({ [member]: 15 })
    },
  )

  deepIt('is one job while it runs, however often it is asked for [BILL-02]', async () => {
    const id = await connect('sim-aws-analytics')
    await settled()
    await org.send('POST', '/internal/sim/faults', {
      faults: [{ call: 'bill', cloudAccountId: id, times: 1, delaySeconds: 4 }],
    })
    const [first, second] = await Promise.all([verify(), verify()])
    expect(second).to.equal(first)
    expect(await verify()).to.equal(first)
    expect((await settled())[0]!.status).to.equal('ok')
    expect(await verify()).to.not.equal(first)
    await settled()
  })

  deepIt('takes late lines and restatements of the last days, by the job [BILL-08]', async () => {
    const id = await connect('export-late')
    const [first] = await settled()
    const late = addDays(newest(), -1)
    const known = exports.get('export-late')!
    known.asked = []
    known.change = (line) =>
      line.usageDate === late ? { ...line, costUSD: 41, exportedAt: new Date().toISOString() } : line
    await nightly()
    const [next] = await entries()
    expect(next).to.deep.equal({
      cloudAccountID: id,
      provider: 'aws',
      driver: 'simulated',
      lastSyncedAt: next.lastSyncedAt,
      status: 'ok',
    })
    expect(next.lastSyncedAt > first.lastSyncedAt).to.equal(true)
    expect(known.asked.map((asked) => asked.slice(0, 7))).to.deep.equal(nightMonths())
    expect(await costs()).to.deep.equal({ [id]: daysSince(monthsAgo(2)) + 40 })
  })

  deepIt(
    'replaces a billing period whose lines come under other ids, and counts none of them twice [G-107]',
    async () => {
      const id = await connect('export-renamed')
      await settled()
      exports.get('export-renamed')!.change = (line) => ({ ...line, lineId: `again/${line.lineId}`, costUSD: 3 })
      await nightly()
      const renamed = daysSince(firstOf(nightMonths()[0]!))
      await until('the new bills', async () => (await costs())[id] === daysSince(monthsAgo(2)) + 2 * renamed)
      const lines = await org.facts(
        `SELECT toUInt32(count()) AS lines, toFloat64(sum(BilledCost)) AS cost FROM cost_lines WHERE x_OrgId = {org:String}`,
      )
      expect(lines).to.deep.equal([{ lines: daysSince(monthsAgo(2)), cost: daysSince(monthsAgo(2)) + 2 * renamed }])
    },
  )

  deepIt('shows nothing of an attempt that broke in the middle, and all of the next [G-107]', async () => {
    const id = await connect('export-broken')
    await settled()
    const known = exports.get('export-broken')!
    const dear = (line: BillingLine) => ({ ...line, lineId: `again/${line.lineId}`, costUSD: 3 })
    known.change = (line) => {
      if (known.asked.at(-1)!.endsWith(line.usageDate!)) throw cloudFault('user_action', 'gone', 'The file is cut off.')
      return dear(line)
    }
    await nightly()
    expect((await entries())[0]).to.deep.include({ status: 'failed', message: 'The file is cut off.' })
    expect(await costs()).to.deep.equal({ [id]: daysSince(monthsAgo(2)) })
    known.change = dear
    await nightly()
    const read = daysSince(firstOf(nightMonths()[0]!))
    await until('the new bills', async () => (await costs())[id] === daysSince(monthsAgo(2)) + 2 * read)
    expect((await entries())[0])
      .to.include({ status: 'ok' })
      .and.not.have.property('message')
  })

  deepIt('holds a bill that shrinks and says so, until the account is set to take it [G-108]', async () => {
    const id = await connect('export-shrunk')
    await settled()
    exports.get('export-shrunk')!.change = (line) => ({ ...line, costUSD: 0.25 })
    await nightly()
    await until('what is held', async () => (await entries())[0].message !== undefined)
    const [held] = await entries()
    expect(held.status).to.equal('ok')
    for (const month of nightMonths()) expect(held.message).to.include(month)
    expect(await costs()).to.deep.equal({ [id]: daysSince(monthsAgo(2)) })
    await nightly()
    expect((await entries())[0].message).to.not.equal(undefined)
    const billingExport = { kind: 'cur', location: 's3://bills', acceptShrink: true }
    const { status, body } = await org.send('PATCH', `/cloud-accounts/${id}`, { billingExport })
    expect([status, body.data.billingExport]).to.deep.equal([200, billingExport])
    await nightly()
    const read = daysSince(firstOf(nightMonths()[0]!))
    await until('the smaller bills', async () => (await costs())[id] === daysSince(monthsAgo(2)) - 0.75 * read)
    await until('nothing to be held', async () => (await entries())[0].message === undefined)
  })

  deepIt(
    'replaces nothing by a bill of which a line cannot be taken, and says so ten minutes later [G-107]',
    async () => {
      const id = await connect('export-foreign')
      await settled()
      const last = newest()
      exports.get('export-foreign')!.change = (line) =>
        line.usageDate === last ? { ...line, BilledCost: '9', BillingCurrency: 'NOK' } : { ...line, costUSD: 9 }
      await nightly()
      expect((await entries())[0])
        .to.include({ status: 'ok' })
        .and.not.have.property('message')
      await advance(660, org.orgId)
      const lines = daysSince(firstOf(monthOf(last)))
      await until('what is incomplete', async () =>
        String((await entries())[0].message).includes(`incomplete: ${lines - 1} of ${lines} lines arrived`),
      )
      const ended = nightMonths().slice(0, -1)
      const dear = ended.length === 0 ? 0 : daysSince(firstOf(ended[0]!)) - lines
      expect(await costs()).to.deep.equal({ [id]: daysSince(monthsAgo(2)) + 8 * dear })
    },
  )

  // When it runs and when it is stale, the turns of the job and of the sync show.
  deepIt(
    'runs by itself when two in the morning has passed, and is stale where it does not [BILL-04] [BILL-08]',
    async () => {
      await connect('export-a', few())
      const off = await connect('export-b', few())
      const [a, b] = await settled()
      await org.send('PATCH', `/cloud-accounts/${off}`, { enabled: false })
      await advance(36 * 3600 + 60, org.orgId)
      await until('the night’s sync', async () => {
        const [now] = await entries()
        return now.status === 'ok' && now.lastSyncedAt > a.lastSyncedAt
      })
      const [, stale] = await entries()
      expect(stale).to.deep.equal({ ...b, status: 'stale' })
    },
  )
})
