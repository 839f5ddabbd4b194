// tier: deep
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { loadDemo } from '#config/demo/demo.ts'
import type { Running } from '#config/product/product.ts'
import { dayMs, dayOf } from '#engine/value/day.ts'
import { Progress } from '#config/process/progress.ts'
import { stories } from '#streams/cloud/simulated/world/stories/stories.ts'
import { simulatedBills, tenant, type Tenant, until } from '#test/harness/product.ts'
import { testStores } from '#test/harness/stores.ts'

/** Ends something, or keeps it from its work for a while. */
const disturbs = ({ actionType, effect }: any): boolean =>
  ['stop', 'pause', 'delete'].includes(actionType) ||
  ['restart', 'outage', 'data_loss', 'irreversible'].includes(effect)

/** More than any rule reads. */
const billedDays = 32

const isNonProduction = /^(dev|development|staging|stage)$/i

describe('what is recommended to the demo organization', () => {
  let org: Tenant
  let file: string
  let found: any[]
  /** By uid: the cloud's own names of the accounts. */
  let accounts: Map<string, string>

  /** As `npm start` does up to the first screen, or all of it where that was done before. */
  const start = async () => {
    const { connections, product, url, analystsUrl } = org
    const stores = await testStores()
    const running: Running = { stores, connections, product, url, analystsUrl, metricsUrl: '', stop: async () => {} }
    const { isLoaded } = kept()
    const loaded = await loadDemo(running, new Progress())
    if (isLoaded === true) await loaded!.rest()
  }
  const keep = (demo: object) => writeFileSync(file, JSON.stringify(demo))
  const kept = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  const everything = async (): Promise<any[]> => {
    const all: any[] = []
    for (let page = 1; ; page++) {
      const { items } = (await org.get(`/recommendations?size=100&page=${page}`)).body.data
      all.push(...items)
      if (items.length < 100) return all
    }
  }

  before(async function () {
    this.timeout(240_000)
    org = await tenant()
    file = path.join(org.connections.settings.dataDir, 'demo.json')
    simulatedBills.areOn = true
    simulatedBills.since = dayOf(new Date(Date.now() - billedDays * dayMs))
    keep({ orgId: org.orgId, token: org.token, isLoaded: false })
    await start()
    // Without the year before, and what people would be told of it.
    keep({ ...kept(), isLoaded: true })
    await start()
    const { rows } = await org.connections.store.pool.query<{ uid: string; of: string }>(
      `select r.uid, a.external_id as of from resource r join cloud_account a on a.org_id = r.org_id and a.id = r.cloud_account_id
       where r.org_id = $1`,
      [org.orgId],
    )
    accounts = new Map(rows.map(({ uid, of }) => [uid, of]))
    found = await everything()
  })
  after(() => {
    Object.assign(simulatedBills, { areOn: false, since: '' })
    rmSync(file, { force: true })
  })

  it('is every story that a recommendation tells of, open on each of its resources', () => {
    const planted = stories.flatMap(({ account, names, rules }) =>
      names.flatMap((name) => rules.map((rule) => `${rule} ${account} ${name}`)),
    )
    expect(planted.length).to.be.at.least(75)
    const open = new Set(
      found
        .filter(({ status }) => status === 'open')
        .map(({ ruleId, resourceUid, resourceName }) => `${ruleId} ${accounts.get(resourceUid)} ${resourceName}`),
    )
    expect(planted.filter((one) => !open.has(one))).to.deep.equal([])
  })

  it('is nothing that would disturb production resources that work', () => {
    const told = new Set(stories.flatMap(({ account, names }) => names.map((name) => `${account} ${name}`)))
    const works = ({ resourceUid, resourceName, resourceTags = {} }: any): boolean => {
      const account = accounts.get(resourceUid)!
      const env = resourceTags.env ?? resourceTags.Environment ?? ''
      return !told.has(`${account} ${resourceName}`) && !isNonProduction.test(env) && !/staging|dev$/.test(account)
    }
    expect(found.filter(disturbs).length).to.be.at.least(20)
    expect(found.filter(works).length).to.be.at.least(20)
    const bad = found.filter((one) => works(one) && disturbs(one) && one.actionType !== 'purchase')
    expect(bad.map(({ ruleId, resourceName }) => `${ruleId} ${resourceName}`)).to.deep.equal([])
  })

  it('is decided by nobody but what was done weeks ago, and found once though a start was interrupted', async function () {
    this.timeout(180_000)
    const decided = found.filter(({ status }) => status !== 'open')
    expect(decided.map(({ ruleId, resourceName, status }) => [ruleId, resourceName, status])).to.have.deep.members([
      ['RC-1001', 'night-report-1', 'optimised'],
      ['RC-1101', 'invoice-render-1', 'optimised'],
    ])
    const waiting = async () =>
      (await org.send('GET', '/workflows/pending-approval')).body.data.map((one: any) => [one.stepName, one.title])
    await until('what waits', async () => (await waiting()).length > 0)
    const [before] = await waiting()
    expect(before).to.deep.equal(['approval', 'Stop EC2 instance report-legacy-1: it was idle for 14 days.'])
    const { isAdvised, isPlanned, ...interrupted } = kept()
    expect([isAdvised, isPlanned]).to.deep.equal([true, true])
    keep(interrupted)
    await start()
    // What the cloud has come to have meanwhile is found too.
    const named = (all: any[]) =>
      all.map(({ id, ruleId, resourceName, status }) => [ruleId, resourceName, status, id].join(' '))
    const again = await everything()
    expect(named(again)).to.include.members(named(found))
    const places = again.map(({ ruleId, resourceUid }) => `${ruleId} ${resourceUid}`)
    expect(places.filter((one, index) => places.indexOf(one) < index)).to.deep.equal([])
    expect(kept()).to.include({ isAdvised: true, isPlanned: true })
    expect(await waiting()).to.deep.equal([before])
  })

  it('watches the fleet of the shop, says what it would have done, and plans for a sale a month ahead', async function () {
    this.timeout(180_000)
    const plans = async () => (await org.send('GET', '/event-readiness')).body.data.items
    await until('the plan', async () => (await plans())[0]?.status === 'scheduled')
    const [policy] = (await org.send('GET', '/autoscaler-policies')).body.data.items
    expect(policy).to.deep.include({ name: 'Shop front', mode: 'monitor', effectiveMode: 'monitor', min: 3, max: 12 })
    const [plan] = await plans()
    expect(plan).to.include({ name: 'Season sale', expectedMultiplier: 3 })
    expect(plan.targets).to.deep.equal([{ policyId: policy.id, originalMin: 3, originalMax: 12, originalDesired: 6 }])
    const { target, min, max, targetCPUPercent, cooldownSeconds, triggers } = policy
    const to = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000)
    const from = new Date(to.getTime() - 7 * 24 * 3_600_000)
    const asked = {
      cloudAccountID: policy.cloudAccountID,
      target,
      min,
      max,
      targetCPUPercent,
      cooldownSeconds,
      triggers,
      from,
      to,
    }
    const { status, body } = await org.send('POST', '/autoscaler-policies/what-if', asked)
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(body.data.capacityHours).to.be.greaterThan(0)
    expect(body.data.recordedCapacityHours).to.be.greaterThan(0)
  })

  it('has a database server for a team, and machines that a quota holds back, with what to do about it [PROV-31]', async function () {
    this.timeout(180_000)
    const sql = 'select kind, phase, error from provisioning_job where org_id = $1 order by kind'
    const jobs = async () => (await org.connections.store.pool.query(sql, [org.orgId])).rows
    const phases = async () => (await jobs()).map(({ kind, phase }) => `${kind} ${phase}`).join()
    // The server takes its time, by the clock of the cloud.
    for (let n = 0; n < 60 && (await phases()) !== 'datastore ready,vm_pool failed'; n++)
      await new Promise((resolve) => setTimeout(resolve, 1000))
    expect(await phases()).to.equal('datastore ready,vm_pool failed')
    expect((await jobs())[1].error).to.include({
      bucket: 'user_action',
      fixHint: 'Request a higher quota from the cloud, or delete resources you do not need.',
      stepName: 'quota_check',
    })
    const spaces = await org.connections.store.pool.query('select kind from space where org_id = $1 order by 1', [
      org.orgId,
    ])
    expect(spaces.rows.map(({ kind }) => kind)).to.deep.equal(['account_region', 'cluster'])
  })
})
