import { expect } from 'chai'
import { addDays, dayOf } from '#engine/value/day.ts'
import { actionTold } from '#streams/action/messages.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { jobRequested } from '#streams/job.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { savingClaimed } from '#streams/saving.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { appliedAt, powered } from '#test/harness/saved.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

const at = { cloudAccountId: 'acct-1', resourceUid: 'i-1' }
/** By the product's clock, which other tests may have set. */
let today = ''
const back = (days: number) => addDays(today, -days)

/** Running and disk of a machine on one day. */
const lines = (day: string, hours: number, more: object = {}) => {
  const of = { ...at, provider: 'aws' as const, serviceName: 'Amazon EC2', usageDate: day, source: 'actual' as const }
  const exportedAt = `${addDays(day, 1)}T00:00:00Z`
  const run = {
    ...of,
    lineId: `${day}/run`,
    usageHours: hours,
    costUSD: Number((hours * 0.384).toFixed(3)),
    exportedAt,
  }
  const disk = { ...of, lineId: `${day}/disk`, costUSD: 0.8, exportedAt, SkuMeter: 'EBS:VolumeUsage.gp3' }
  return [...(hours > 0 ? [{ ...run, ...more }] : []), disk]
}

describe('claims of savings and their receipts', () => {
  let org: Tenant
  let id = ''
  const data = async (path: string) => (await org.get(path)).body.data
  const run = async () => {
    const runId = `r-${Math.random()}`
    await org.publish(jobRequested, [{ job: 'savings', runId }] as never)
  }
  const claims = async (query = '') => (await data(`/reports/savings/claims?${query}`)).items as any[]

  before(async () => {
    org = await tenant()
    today = dayOf(org.connections.clock.now())
    const found = { ...at, name: 'web', type: 'aws-ec2', provider: 'aws', region: 'us-east-1' } as const
    await org.publish(resourceDiscovered, [{ ...found, instanceType: 'm5.2xlarge', hourlyRateUSD: 0.384 }])
    const all = Array.from({ length: 40 }, (_, n) => 41 - n).flatMap((n) =>
      lines(back(n), n > 10 ? 24 : n === 10 ? 12 : 0),
    )
    await org.publish(billingLine, all as never)
    await org.publish(actionTold, [powered('stop', `${back(10)}T12:00:00.000Z`)])
    await until('the claim', async () => (await claims()).length === 1)
    id = (await claims())[0].id
  })

  it('say what was seen, and, once the bills are there, what they prove', async () => {
    await until(
      'the sums',
      async () => (await data(`/reports/summary?from=${back(41)}&to=${today}`)).totalCostUSD > 300,
    )
    await run()
    await until('the proof', async () => (await claims())[0].provedDays > 0)
    const [one] = await claims()
    // Of the nine days behind the first the last is not closed yet: 8 x 24 x 0.384.
    expect([one.provedDays, one.unprovedDays, one.verifiedUSD]).to.deep.equal([8, 2, 73.73])
    expect([one.estimatedPerDayUSD, one.estimatedUSD, one.status, one.kind, one.source]).to.deep.equal([
      null,
      0,
      'running',
      'usage',
      'schedule',
    ])
    expect(one.observedUSD).to.be.within(87.5, 97.6)
    expect(await claims('status=ended')).to.deep.equal([])
    expect((await claims('source=schedule&provider=aws&cloud_account_id=acct-1')).length).to.equal(1)
    expect(await claims('region=eu-west-1')).to.deep.equal([])
  })

  it('have a receipt: the baseline, the levels of each day that add up to the bill, and the lines of it', async () => {
    const receipt = await data(`/reports/savings/claims/${id}`)
    expect({ ...receipt.baseline, lines: undefined }).to.deep.equal({
      from: back(38),
      to: back(11),
      days: 28,
      hoursByWeekday: ['24', '24', '24', '24', '24', '24', '24'],
      unitPriceUSD: '0.384',
      otherUSDPerDay: '0.8',
      lines: undefined,
    })
    const day = receipt.days.find((one: any) => one.date === back(5))
    expect({ ...day, lines: undefined }).to.deep.equal({
      date: back(5),
      estimatedUSD: null,
      observedUSD: '9.216',
      verifiedUSD: '9.216',
      reason: null,
      levels: [
        { claimID: null, hours: '24', unitPriceUSD: '0.384', listFactor: 1, otherUSD: '0.8', totalUSD: '10.016' },
        { claimID: id, hours: '0', unitPriceUSD: '0', listFactor: 1, otherUSD: '0.8', totalUSD: '0.8' },
      ],
      lines: undefined,
    })
    const bill = await data(day.lines)
    expect([bill.total, bill.items.map((line: any) => line.lineId)]).to.deep.equal([1, [`${back(5)}/disk`]])
    expect(receipt.days.map((one: any) => one.reason)).to.deep.equal([
      'first_day',
      ...Array.from({ length: 8 }, () => null),
      'not_closed',
    ])
  })

  it('are right again after a bill was restated', async () => {
    const again = lines(back(5), 6, { exportedAt: `${today}T00:00:00Z` })
    await org.publish(billingLine, again as never)
    await until('the restated day', async () => {
      await run()
      return (await claims())[0].verifiedUSD === 71.42
    })
    const rows = await org.facts(
      `SELECT toString(s.verified) AS verified, s.reason AS reason FROM saving_daily AS s FINAL
       WHERE s.org_id = {org:String} AND s.day = '${back(5)}'`,
    )
    expect(rows).to.deep.equal([{ verified: '6.912', reason: '' }])
  })

  it('of a schedule go on while it lets the resource run until the next stop', async () => {
    await org.publish(actionTold, [
      powered('stop', `${back(3)}T20:00:00.000Z`, { resourceUid: 'i-9' }),
      powered('start', `${back(2)}T06:00:00.000Z`, { resourceUid: 'i-9' }),
      powered('stop', `${back(41)}T20:00:00.000Z`, { resourceUid: 'i-8' }),
      powered('start', `${back(40)}T06:00:00.000Z`, { resourceUid: 'i-8' }),
    ])
    const of = async (uid: string) =>
      (await claims(`resource_uid=${uid}`)).map((one) => [one.status, one.until, one.endedBy])
    await until('the starts', async () => (await of('i-8'))[0]?.[0] === 'ended')
    await until('the other', async () => (await of('i-9')).length === 1)
    expect(await of('i-9')).to.deep.equal([['running', null, null]])
    expect(await of('i-8')).to.deep.equal([['ended', `${back(40)}T06:00:00.000Z`, 'left']])
    const listed = async (status: string) => (await claims(`status=${status}`)).map(({ resourceUid }) => resourceUid)
    expect(await listed('running'))
      .to.include('i-9')
      .and.not.include('i-8')
    expect(await listed('ended')).to.deep.equal(['i-8'])
    expect((await data('/reports/savings/projection')).runningClaims).to.equal((await listed('running')).length)
  })

  it('are of recommendations too, estimated from the day on that people apply them [S-14]', async () => {
    const at = new Date(org.connections.clock.now()).toISOString()
    const disk = {
      resourceUid: 'vol-1',
      resourceType: 'aws-ebs-volume',
      ruleId: 'RC-1301',
      category: 'orphan',
    } as const
    const word = appliedAt(at, { ...disk, recommendationId: 'r-9', actionType: 'delete' })
    await org.publish(savingClaimed, [word])
    await until('the claim', async () => (await claims('rule_id=RC-1301')).length === 1)
    const [one] = await claims('rule_id=RC-1301')
    expect([one.estimatedPerDayUSD, one.kind, one.sourceID]).to.deep.equal(['0.4', 'gone', 'r-9'])
    await until('its row', async () => (await claims('rule_id=RC-1301'))[0].savedUSD === 0.4)
    const receipt = await data(`/reports/savings/claims/${one.id}`)
    expect([receipt.baseline, receipt.baselineReason]).to.deep.equal([null, 'no_bill'])
  })

  // The pure tests of what bills prove hold the rule.
  deepIt(
    'are not of what the provider made cheaper: another machine of the old size tells what its list price is by now',
    async () => {
      const found = { cloudAccountId: 'acct-1', type: 'aws-ec2', provider: 'aws', region: 'us-east-1' } as const
      const machines = ['i-2', 'i-3'].map((resourceUid) => ({
        ...found,
        resourceUid,
        name: resourceUid,
        hourlyRateUSD: 0.4,
      }))
      await org.publish(resourceDiscovered, machines as never)
      const line = (resourceUid: string, n: number, sku: string, price: number) => ({
        lineId: `${resourceUid}/${n}`,
        cloudAccountId: 'acct-1',
        resourceUid,
        provider: 'aws' as const,
        serviceName: 'Amazon EC2',
        usageDate: back(n),
        source: 'actual' as const,
        exportedAt: `${back(n - 1)}T00:00:00Z`,
        usageHours: 24,
        costUSD: Number((24 * price).toFixed(2)),
        ChargeCategory: 'Usage',
        SkuPriceId: sku,
        ListUnitPrice: String(price),
      })
      const old = (n: number) => (n > 5 ? 0.4 : 0.3)
      const bills = Array.from({ length: 36 }, (_, at) => 37 - at).flatMap((n) => [
        n > 10 ? line('i-2', n, 'A', 0.4) : line('i-2', n, 'B', 0.2),
        line('i-3', n, 'A', old(n)),
      ])
      await org.publish(billingLine, bills as never)
      const smaller = { ruleId: 'RC-1101', category: 'rightsizing', actionType: 'resize', size: 'm5.large' } as const
      const of = { resourceUid: 'i-2', recommendationId: 'r-2', savingsUsd: '144.00' }
      const word = appliedAt(`${back(10)}T10:00:00.000Z`, { ...smaller, ...of })
      await org.publish(savingClaimed, [word])
      await until('the proof', async () => {
        await run()
        return (await claims('rule_id=RC-1101'))[0]?.provedDays === 8
      })
      const [one] = await claims('rule_id=RC-1101')
      const { days } = await data(`/reports/savings/claims/${one.id}`)
      const on = (n: number) => days.find(({ date }: any) => date === back(n))
      // 24 x (0.40 - 0.20), and 24 x (0.40 x 0.30 / 0.40 - 0.20).
      expect([on(7).verifiedUSD, on(7).levels[0].listFactor]).to.deep.equal(['4.8', 1])
      expect([on(4).verifiedUSD, on(4).levels[0].listFactor]).to.deep.equal(['2.4', 0.75])
      expect([on(7).estimatedUSD, on(7).observedUSD, one.provedDays]).to.deep.equal(['4.8', null, 8])
    },
  )

  it('are shown to a role as far as it sees their accounts [RBAC-04]', async () => {
    const seenBy = async (name: string, account: string) => {
      const reportScope = { all: false, cloudAccountIDs: [account] }
      const role = await org.send('POST', '/roles', { name, permissions: ['service.view'], reportScope })
      const { accessToken: token } = await colleague(
        { accessToken: org.token, orgId: org.orgId } as Founder,
        role.body.data.id,
      )
      const listed = await ask('GET', '/reports/savings/claims', { token })
      return [listed.body.data.total, (await ask('GET', `/reports/savings/claims/${id}`, { token })).status]
    }
    expect(await seenBy('all of it', 'acct-1')).to.deep.equal([isDeep ? 5 : 4, 200])
    expect(await seenBy('none of it', 'acct-9')).to.deep.equal([0, 404])
  })

  it('are nobody else’s: 404 for a claim of another organization, and for none', async () => {
    const other = await tenant()
    expect((await other.get(`/reports/savings/claims/${id}`)).status).to.equal(404)
    expect((await other.get('/reports/savings/claims')).body.data.items).to.deep.equal([])
    expect((await org.get('/reports/savings/claims/none')).status).to.equal(404)
    expect((await org.get('/reports/savings/claims?source=nobody')).status).to.equal(400)
  })
})
