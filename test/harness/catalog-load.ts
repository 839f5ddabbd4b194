/**
 * Jobs of provisioning all the while, begun and, of every three, one taken away again. What must come of it, whatever is killed:
 * each is there whole or gone whole, and each thing was made once.
 */
import { uuidOf } from '#engine/value/id.ts'
import { systemClock } from '#engine/clock.ts'
import { accountConnected } from '#streams/account/messages.ts'
import { provisioningBegun, provisioningCommanded, spaceSaved } from '#streams/catalog.ts'
import { makingSteps, provisioningKinds, stepsOf, type ProvisioningKind } from '#streams/cloud/provision.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { deadLetters, until } from '#test/harness/action-load.ts'
import { configs } from '#test/harness/catalog-config.ts'
import type { ChaosWorld } from '#test/harness/chaos.ts'

export interface CatalogLoad {
  orgId: string
  /** Jobs that are under way at a time. */
  together: number
  /** Told to end: what is under way is waited for. */
  until: AbortSignal
  begun?: () => void
}

interface Followed {
  jobId: string
  kind: ProvisioningKind
  isDeleted: boolean
}

const accounts = 3
const accountOf = (i: number): string => `acct-${i % accounts}`
const region = 'us-east-1'

const kinds: readonly ProvisioningKind[] = provisioningKinds

/** Begins one job after the other until it is told to end. All of them, once they are over. */
export async function provisionAll(world: ChaosWorld, load: CatalogLoad): Promise<Followed[]> {
  const { orgId } = load
  for (let i = 0; i < accounts; i++) await connect(world, orgId, accountOf(i))
  const followed: Followed[] = []
  load.begun?.()
  await Promise.all(Array.from({ length: load.together }, (_, i) => turnOver(world, load, i, followed)))
  return followed
}

const spaceOf = (orgId: string, account: string): string => uuidOf('space', orgId, account, region, '')

async function connect(world: ChaosWorld, orgId: string, id: string): Promise<void> {
  const fields = {
    provider: 'aws',
    externalId: `catalog-${orgId}-${id}`,
    credentials: null,
    regions: [],
    billingExport: null,
  }
  await world.publisher.publish({
    subject: accountConnected,
    orgId,
    data: { id, name: id, ...fields } as never,
    id: `${orgId}-${id}`,
  })
  const data = {
    spaceId: spaceOf(orgId, id),
    cloudAccountId: id,
    provider: 'aws',
    region,
    clusterUid: null,
    isNew: true as const,
    kind: 'account_region' as const,
    name: id,
    userId: 'u-1',
  }
  await world.publisher.publish({ subject: spaceSaved, orgId, data, id: `${orgId}-space-${id}` })
  const sql = `select count(*) as n from space s join cloud_account a on a.org_id = s.org_id and a.id = s.cloud_account_id
    where s.org_id = $1 and a.id = $2`
  await until(world, async () => Number((await world.pool.query(sql, [orgId, id])).rows[0].n) === 1)
}

async function turnOver(world: ChaosWorld, load: CatalogLoad, i: number, followed: Followed[]): Promise<void> {
  const { orgId } = load
  for (let n = 0; !load.until.aborted; n++) {
    const kind = kinds[(i + n) % kinds.length]!
    const jobId = uuidOf('catalog-load', orgId, String(i), String(n))
    const isDeleted = (i + n) % 3 === 0
    followed.push({ jobId, kind, isDeleted })
    const cloudAccountId = accountOf(i)
    const of = { cloudAccountId, jobId }
    const place = { spaceId: spaceOf(orgId, cloudAccountId), provider: 'aws', region, clusterUid: null }
    const what = { kind, name: kind, config: configs[kind], tags: {}, expiresAt: null, userId: 'u-1' }
    await world.publisher.publish({ subject: provisioningBegun, orgId, data: { ...of, ...place, ...what }, id: jobId })
    await until(world, () => isOver(world, orgId, jobId, ['ready', 'failed']))
    if (isDeleted) {
      const data = { ...of, verb: 'delete' as const, userId: 'u-1' }
      await world.publisher.publish({ subject: provisioningCommanded, orgId, data, id: `${jobId}-delete` })
      await until(world, () => isOver(world, orgId, jobId, ['deleted', 'delete_failed']))
    }
    await systemClock.sleep(((i * 37) % 50) * 10)
  }
}

async function isOver({ pool }: ChaosWorld, orgId: string, jobId: string, phases: string[]): Promise<boolean> {
  const sql = 'select phase from provisioning_job where org_id = $1 and id = $2'
  const { rows } = await pool.query<{ phase: string }>(sql, [orgId, jobId])
  return phases.includes(rows[0]?.phase ?? '')
}

interface Row {
  id: string
  phase: string
  steps: { name: string; status: string; attempts: number }[]
}

/** What is not as it must be, one sentence each. */
export async function catalogWrongs(
  world: ChaosWorld,
  orgId: string,
  followed: readonly Followed[],
): Promise<{ wrongs: string[]; ended: number }> {
  const wrongs: string[] = []
  const cloud = simulatedCloud({ seed: 'tidemark', now: () => new Date(), sleep: async () => {}, folder: world.cloud })
  const made = Array.from({ length: accounts }, (_, i) => cloud.madeFor(accountOf(i))).flat()
  const { rows } = await world.pool.query<Row>('select id, phase, steps from provisioning_job where org_id = $1', [
    orgId,
  ])
  const jobs = new Map(rows.map((row) => [row.id, row]))
  for (const { jobId, kind, isDeleted } of followed) {
    const job = jobs.get(jobId)
    const phase = isDeleted ? 'deleted' : 'ready'
    if (job?.phase !== phase) wrongs.push(`${kind} ${jobId}: ${job?.phase}, not ${phase}`)
    const again = job?.steps.filter(({ attempts }) => attempts !== 1).map(({ name }) => name) ?? []
    if (again.length > 0) wrongs.push(`${kind} ${jobId}: ${again.join(', ')} begun more than once`)
    const steps = stepsOf[kind].filter((step) => makingSteps.has(step)).toSorted()
    const own = made.filter((one) => one.jobId === jobId)
    if (
      own
        .map(({ step }) => step)
        .toSorted()
        .join() !== steps.join()
    )
      wrongs.push(`${kind} ${jobId}: made ${own.map(({ step }) => step).join()}`)
    const left = own.filter(({ goneAt }) => (goneAt === undefined) === isDeleted)
    if (left.length > 0)
      wrongs.push(`${kind} ${jobId}: ${left.map(({ step }) => step).join()} are not as they should be`)
  }
  const calls = cloud
    .callsSince()
    .calls.filter(
      ({ call, repeated, outcome }) =>
        call.includes('provision.') && outcome === 'ok' && !repeated && makingSteps.has(call.split('.')[1]!),
    )
  if (new Set(calls.map(({ cloudAccountId, id }) => `${cloudAccountId}/${id}`)).size !== calls.length)
    wrongs.push('a call had its effect twice')
  return { wrongs: [...wrongs, ...(await deadLetters(world, orgId))], ended: rows.length }
}
