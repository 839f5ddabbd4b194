/**
 * Starting and stopping in the demo organization: machines that a schedule stops at night, and one that was stopped by
 * hand.
 */
import { makeGroup, type MemberGiven } from '#actors/attribution/group/change.ts'
import { findGroup } from '#actors/attribution/group/queries.ts'
import { Schedule } from '#actors/schedule/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { actionWanted } from '#streams/action/messages.ts'
import { scheduleSaved, type ScheduleTerms } from '#streams/schedule.ts'
import { patiently } from '#config/demo/retry.ts'
import type { Running } from '#config/product/product.ts'
import { services } from '#config/wiring/services.ts'
import { tokens } from '#config/wiring/tokens.ts'

/**
 * The account whose machines developers use by day. The simulated cloud has no stories about the machines named below.
 */
const account = 'sim-azure-dev'
/** The databases come before the machines that use them. */
const tiers = [['dev-db'], ['dev-box-1', 'dev-box-2', 'dev-box-3', 'dev-box-4', 'dev-box-5', 'dev-box-6']]
/** Runs day and night until the schedule stops it. */
const scheduledMachine = 'build-1'
/** Runs day and night until it is stopped by hand; no schedule starts it. */
const idleMachine = 'build-2'

interface Machine {
  name: string
  uid: string
  account: string
}

/** Existing machines only: in a demo organization from an earlier version people may have disconnected the account. */
const machinesSql = `
  select r.name, r.uid, r.cloud_account_id as account from resource r
  join cloud_account a on a.org_id = r.org_id and a.id = r.cloud_account_id
  where r.org_id = $1 and a.external_id = $2 and a.status = 'connected' and r.deleted_at is null and r.name = any($3)`

/** Creates each once. A repeat, for example after an interrupted load, adds what is missing. */
export async function makeControl(running: Running, orgId: string): Promise<void> {
  const names = [...tiers.flat(), scheduledMachine, idleMachine]
  const found = await running.connections.store.rows<Machine>(machinesSql, [orgId, account, names])
  const machines = new Map(found.map((machine) => [machine.name, machine]))
  await stopIdle(running, orgId, machines.get(idleMachine))
  const groups = await makeDevGroup(running, orgId, machines)
  const uids = [scheduledMachine].flatMap((name) => machines.get(name)?.uid ?? [])
  if (groups.length + uids.length > 0) await makeNight(running, orgId, { uids, groups })
}

/** The action's id is also the id of its message, so a repeat gets the first answer. */
async function stopIdle({ product }: Running, orgId: string, machine: Machine | undefined): Promise<void> {
  if (!machine) return
  const actionId = uuidOf('demo', orgId, 'stop', machine.uid)
  const data = {
    actionId,
    cloudAccountId: machine.account,
    resourceUid: machine.uid,
    action: 'stop' as const,
    reason: 'No builds run on it',
    source: { type: 'manual' as const, id: 'demo' },
  }
  const stop = patiently(() => product.get(tokens.asker).ask(actionWanted, orgId, data, actionId))
  // In a demo organization from an earlier version the machine may be busy or the rights missing: then it stays as it
  // is.
  await stop.catch((error: unknown) => {
    if (!(error instanceof Fault) || (error.kind !== 'conflict' && error.kind !== 'refused')) throw error
  })
}

/** The id of the group of developers' machines; the group may not exist. */
export const devGroupId = (orgId: string): string => uuidOf('demo', orgId, 'group')

/** The ids of the groups in the schedule. Empty if people have a group of that name, or if it would have no members. */
async function makeDevGroup(
  { connections, product }: Running,
  orgId: string,
  machines: ReadonlyMap<string, Machine>,
): Promise<string[]> {
  const members = tiers.flatMap((names, i) =>
    names.flatMap((name): MemberGiven[] => {
      const machine = machines.get(name)
      return machine ? [{ resourceUID: machine.uid, tier: i + 1 }] : []
    }),
  )
  if (members.length === 0) return []
  const id = devGroupId(orgId)
  const { em, change } = services(connections, (what) => product.get(what), product.site, { orgId })
  if (await findGroup(em, orgId, id)) return [id]
  const description = 'Daytime development resources: the database starts before the machines and stops after them.'
  try {
    await change((tx) => makeGroup(tx, { id, name: 'Dev', description, members }))
    return [id]
  } catch (error) {
    if (error instanceof Fault && error.code === 'already_exists') return []
    throw error
  }
}

async function makeNight(
  { connections, product }: Running,
  orgId: string,
  { uids, groups }: { uids: string[]; groups: string[] },
): Promise<void> {
  const scheduleId = uuidOf('demo', orgId, 'schedule')
  if ((await connections.orm.em.fork().count(Schedule, { orgId, id: scheduleId })) > 0) return
  const terms: ScheduleTerms = {
    name: 'Night',
    description: 'No one develops at night or on weekends.',
    timezone: 'Europe/Berlin',
    rules: [
      { action: 'stop', cron: '0 20 * * 1-5' },
      { action: 'start', cron: '0 7 * * 1-5' },
    ],
    resourceUids: uids,
    resourceGroupIds: groups,
    skipDates: [],
    enabled: true,
  }
  const asker = product.get(tokens.asker)
  await patiently(() => asker.ask(scheduleSaved, orgId, { scheduleId, isNew: true, terms }, scheduleId))
}
