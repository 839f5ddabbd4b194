/**
 * Places where things may be provisioned. All spaces of an organization are in one lane, so that a place has only one
 * space.
 */
import { defineActor, type Waiting } from '#engine/actor/actor.ts'
import { Fault } from '#engine/value/fault.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { spaceRegistered, spaceRemoved, spaceSaved, spaceUnregistered } from '#streams/catalog.ts'
import { Space } from './entity.ts'

/** Read for the one message that creates or removes a space: such messages run alone. */
export interface SpaceNeeds {
  /** Whether the place has a space already, under any id. */
  isTaken: boolean
  /** Jobs in it that are not deleted. */
  live: number
  /** Number of deployments in it. */
  deployments: number
}

const ofSpace = ({ spaceId }: { spaceId: string }): string => spaceId
const alone = { barrier: true } as const

export const spaceActor = defineActor({
  kind: 'space',
  entity: Space,
  address: { orgId: 'orgId', key: 'id' },
  initial: () => ({
    name: '',
    cloudAccountId: '',
    provider: '',
    region: '',
    kind: 'account_region' as const,
    clusterUid: null,
    status: 'active' as const,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  }),
  needs: spaceNeeds,
  reactions: (on) => [
    on(spaceSaved, ofSpace, save, alone),
    on(spaceRegistered, ofSpace, register, alone),
    on(spaceRemoved, ofSpace, remove, alone),
    on(spaceUnregistered, ofSpace, unregister, { ...alone, existing: true }),
  ],
})

const takenSql = `
  select exists (select from space where org_id = $1 and cloud_account_id = $2 and region = $3
    and cluster_uid is not distinct from $4) as "isTaken"`
const liveSql = `
  select
    (select count(*)::int from provisioning_job where org_id = $1 and space_id = $2 and phase <> 'deleted') as live,
    (select count(*)::int from deployment where org_id = $1 and space_id = $2) as deployments`

interface SpacePlace {
  cloudAccountId?: string
  region?: string
  clusterUid?: string | null
}

async function spaceNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<SpaceNeeds> {
  const { subject, address, data } = waiting[0]!
  const { cloudAccountId, region, clusterUid = null } = data as SpacePlace
  const isRemoval = subject.name === spaceRemoved.name || subject.name === spaceUnregistered.name
  const rows = isRemoval
    ? await reads.rows<Partial<SpaceNeeds>>(liveSql, [address.orgId, address.key])
    : await reads.rows<Partial<SpaceNeeds>>(takenSql, [address.orgId, cloudAccountId ?? '', region ?? '', clusterUid])
  return { isTaken: false, live: 0, deployments: 0, ...rows[0] }
}

const isThere = ({ cloudAccountId }: Space): boolean => cloudAccountId !== ''

/** @throws Fault `conflict` `already_exists`, `missing` */
function save(row: Space, said: Static<typeof spaceSaved.schema>, turn: Turn<SpaceNeeds>): void {
  if (said.isNew) {
    if (isThere(row) || turn.needs.isTaken)
      throw Fault.conflict('already_exists', 'A space for this account, region and cluster already exists.')
    make(row, said, turn)
  } else {
    if (!isThere(row)) throw Fault.missing('space', row.id)
    const { name = row.name, status = row.status } = said
    Object.assign(row, { name, status })
    row.updatedAt = turn.now
  }
  turn.reply({ spaceId: row.id })
}

type NewSpace = Omit<Static<typeof spaceRegistered.schema>, 'spaceId' | 'jobId'>

function make(
  row: Space,
  { cloudAccountId, provider, region, kind, clusterUid, name }: NewSpace,
  turn: Turn<SpaceNeeds>,
): void {
  Object.assign(row, { cloudAccountId, provider, region, kind, clusterUid, name, status: 'active' })
  row.createdAt = turn.now
  row.updatedAt = turn.now
}

/** An existing space stays as people have set it up. */
function register(row: Space, said: Static<typeof spaceRegistered.schema>, turn: Turn<SpaceNeeds>): void {
  if (isThere(row)) return
  if (turn.needs.isTaken) turn.remove()
  else make(row, said, turn)
}

/** @throws Fault `missing`, `conflict` `space_in_use` */
function remove(row: Space, _: unknown, turn: Turn<SpaceNeeds>): void {
  if (!isThere(row)) throw Fault.missing('space', row.id)
  const { live, deployments } = turn.needs
  if (live > 0) throw Fault.conflict('space_in_use', `The space has ${live} provisioning jobs that are not deleted.`)
  if (deployments > 0) throw Fault.conflict('space_in_use', `${deployments} deployments use the space.`)
  turn.reply({ spaceId: row.id })
  turn.remove()
}

function unregister(row: Space, { isGoing }: Static<typeof spaceUnregistered.schema>, turn: Turn<SpaceNeeds>): void {
  const { live, deployments } = turn.needs
  if (!isGoing && live + deployments === 0) return turn.remove()
  row.status = 'disabled'
  row.updatedAt = turn.now
}
