/**
 * Teams, tag policies and cost allocation of the demo organization. Some suggested tags are accepted; others wait for a
 * decision.
 */
import { makeTeam } from '#actors/attribution/team/change.ts'
import { teamNamed } from '#actors/attribution/team/queries.ts'
import { policyDomains } from '#actors/index.ts'
import { makePolicy } from '#actors/policy/change.ts'
import { Policy } from '#actors/policy/entity.ts'
import { standings } from '#actors/tagging/row.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import { suggestionDecided, tagRunWanted } from '#streams/tagging.ts'
import { demoAccountId } from '#config/demo/cloud/account.ts'
import { patiently } from '#config/demo/retry.ts'
import type { Progress } from '#config/process/progress.ts'
import type { Running } from '#config/product/product.ts'
import { services } from '#config/wiring/services.ts'
import { tokens } from '#config/wiring/tokens.ts'

const teamNames = ['Storefront', 'Platform', 'Data'] as const

/** Accounts whose costs belong to the data team, whatever their tags. */
const dataAccounts = [
  { provider: 'aws', externalId: 'sim-aws-analytics' },
  { provider: 'gcp', externalId: 'sim-gcp-data' },
] as const

/** Machines whose suggestions are accepted; all others wait. */
const acceptedMachines = ['dev-db', 'dev-box-1', 'dev-box-2', 'dev-box-3', 'dev-box-4', 'dev-box-5', 'dev-box-6']

const valueOf = (fields: string[]) => ({ fields, join: '-', standardize: true })

/** Derived tags of `location` are accepted; those of `size` wait. */
const location = {
  domain: 'tagging',
  name: 'Location',
  spec: { tag: { key: 'location', value: valueOf(['res.provider', 'res.region']) } },
}
const size = {
  domain: 'tagging',
  name: 'Size of machines',
  spec: {
    selector: { all: [{ attr: 'res.instance_type', op: 'exists' }] },
    tag: { key: 'size', value: valueOf(['res.instance_type']) },
  },
}

interface Rule {
  domain: string
  name: string
  spec: object
}

/** `accounts` and `dataId` are the data team's. Costs tagged with any other team name stay unassigned. */
function rulesOf(accounts: readonly string[], dataId: string): Rule[] {
  const aliases = Object.fromEntries(teamNames.map((name) => [`${name.toLowerCase()}-team`, name]))
  return [
    location,
    size,
    {
      domain: 'allocation',
      name: 'Accounts of the data team',
      spec: {
        priority: 10,
        selector: { all: [{ attr: 'res.cloud_account_id', op: 'in', values: accounts }] },
        team: dataId,
      },
    },
    { domain: 'allocation', name: 'Team by tag', spec: { priority: 100, teamFromTag: { key: 'team', aliases } } },
    {
      domain: 'shared-cost',
      name: 'Tax',
      spec: {
        selector: { all: [{ attr: 'line.charge_category', op: 'equals', values: ['Tax'] }] },
        among: 'all',
        method: 'proportional',
      },
    },
  ]
}

/** Creates each once. A repeat, for example after an interrupted load, adds what is missing. */
export async function makeTagging(running: Running, orgId: string, progress: Progress): Promise<void> {
  const { connections, product } = running
  const { change } = services(connections, (what) => product.get(what), product.site, { orgId })
  progress.step('deriving tags and teams')
  const accounts = await Promise.all(dataAccounts.map((account) => demoAccountId(running, orgId, account)))
  await change(async (tx) => {
    const ids = new Map<string, string>()
    for (const name of teamNames) ids.set(name, await teamOf(tx, name))
    for (const rule of rulesOf(accounts, ids.get('Data')!)) await makeRule(tx, rule)
  })
  await deriveTags(running, orgId)
  await acceptSome(running, orgId)
}

/** Returns the team's id. An existing team of that name is used as it is. */
async function teamOf(tx: RecordChange, name: string): Promise<string> {
  const known = await teamNamed(tx.em, tx.orgId, name)
  if (known !== undefined) return known
  const { id } = await makeTeam(tx, { name })
  await tx.em.flush()
  return id
}

async function makeRule(tx: RecordChange, { domain, name, spec }: Rule): Promise<void> {
  if ((await tx.em.count(Policy, { orgId: tx.orgId, domain, name })) > 0) return
  const known = policyDomains.find((one) => one.name === domain)!
  await makePolicy(tx, known, { targetType: 'organisation', name, spec, enabled: true })
}

/**
 * Resources discovered before a policy was created get their tags in a sweep. Maximum tenths of a second to wait for
 * it.
 */
const waitsMax = 600

async function deriveTags({ connections: { orm, clock }, product }: Running, orgId: string): Promise<void> {
  const runId = uuidOf('demo', orgId, 'sweep')
  const wanted = { kind: 'sweep' as const, whole: false }
  await patiently(() => product.get(tokens.asker).ask(tagRunWanted, orgId, { runId, wanted }, runId))
  const em = orm.em.fork()
  const policies = await em.find(Policy, { orgId, domain: 'tagging' })
  for (let waits = 0; waits < waitsMax; waits++) {
    const found = await standings(em, orgId, policies)
    if ([...found.values()].every(({ pending }) => pending === 0)) return
    await clock.sleep(100)
  }
}

const decidedSql = `
  select t.uid, t.cloud_account_id as account from resource_tagging t
  join resource r on r.org_id = t.org_id and r.cloud_account_id = t.cloud_account_id and r.uid = t.uid
  where t.org_id = $1 and t.deleted_at is null and t.has_prediction and t.accepted_at is null and t.rejected_at is null
    and r.name = any($2)`

/** Message ids are fixed, so a repeat gets the first answer. */
async function acceptSome({ connections: { orm, store }, product }: Running, orgId: string): Promise<void> {
  const asker = product.get(tokens.asker)
  const userId = 'demo'
  const policy = await orm.em.fork().findOne(Policy, { orgId, domain: location.domain, name: location.name })
  const runId = uuidOf('demo', orgId, 'accept')
  if (policy) {
    const wanted = { kind: 'accept' as const, policyId: policy.id, userId }
    await patiently(() => asker.ask(tagRunWanted, orgId, { runId, wanted }, runId))
  }
  for (const { uid, account } of await store.rows<{ uid: string; account: string }>(decidedSql, [
    orgId,
    acceptedMachines,
  ])) {
    const data = { cloudAccountId: account, resourceUid: uid, userId, status: 'accepted' as const }
    const id = uuidOf('demo', orgId, 'suggestion', account, uid)
    await patiently(() => asker.ask(suggestionDecided, orgId, data, id)).catch(ignoreDecided)
  }
}

/** In a demo organization from an earlier version people may have decided already. */
function ignoreDecided(error: unknown): void {
  if (!(error instanceof Fault) || (error.kind !== 'conflict' && error.kind !== 'missing')) throw error
}
