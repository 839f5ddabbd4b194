/** Copies of disks and backups of servers, under names that follow from the action: asked for again they are found, not made again. */
import { cloudFault, type CloudAction, type ActionOutcome } from '#streams/cloud/connector.ts'
import { computeVersion, diskVersion } from '#streams/cloud/azure/discover/compute.ts'
import { groupOf } from '#streams/cloud/azure/session/path.ts'
import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { goneFault, itemAt, ignoreNotFound, madeName, type At, type ActionHandler } from './kind.ts'

type State = 'done' | 'underWay' | 'failed'

function stateOf(item: unknown): State {
  const state = textAt(item, 'properties', 'provisioningState')
  if (state === 'Failed' || state === 'Canceled') return 'failed'
  return state === 'Succeeded' ? 'done' : 'underWay'
}

const outcome = (name: string, states: readonly State[]): ActionOutcome => {
  if (states.includes('failed'))
    throw cloudFault('user_action', 'snapshot_failed', `Azure could not create the snapshot ${name}.`)
  return { status: states.every((one) => one === 'done') ? 'succeeded' : 'running' }
}

interface Source {
  id: string
  location: string
}

/** A copy of a disk beside it; what there is under the name already is left as it is. */
async function copyDisk({ session }: At, { id, location }: Source, name: string): Promise<State> {
  const group = encodeURIComponent(groupOf(id) ?? '')
  const path = session.path(`/resourceGroups/${group}/providers/Microsoft.Compute/snapshots/${name}`)
  const query = { 'api-version': diskVersion }
  const standing = await ignoreNotFound(session.ask({ path, query }))
  if (standing) return stateOf(standing)
  const body = {
    location,
    tags: { 'tidemark-of': id.split('/').at(-1)!.slice(0, 256) },
    properties: { incremental: true, creationData: { createOption: 'Copy', sourceResourceId: id } },
  }
  await session.ask({ method: 'PUT', path, query, body })
  const made = await ignoreNotFound(session.ask({ path, query }))
  return made ? stateOf(made) : 'underWay'
}

export const diskSnapshot: ActionHandler = async (at, action) => {
  const item = await itemAt(at, diskVersion)
  if (!item) throw goneFault(at)
  const name = madeName(action)
  return outcome(name, [await copyDisk(at, { id: item.id, location: textAt(item, 'location') ?? '' }, name)])
}

/** Of all of its disks, the one it starts from first. */
export const machineSnapshot: ActionHandler = async (at, action) => {
  const item = await itemAt(at, computeVersion)
  if (!item) throw goneFault(at)
  const profile = memberOf(item, 'properties', 'storageProfile')
  const disks = [memberOf(profile, 'osDisk'), ...listOf(memberOf(profile, 'dataDisks'))]
  const ids = disks.flatMap((one) => textAt(one, 'managedDisk', 'id') ?? [])
  if (ids.length === 0)
    throw cloudFault('user_action', 'unsupported_action', `${at.ref.resourceUid} has no managed disk to copy.`)
  const location = textAt(item, 'location') ?? ''
  const name = madeName(action)
  const states: State[] = []
  for (const [place, id] of ids.entries()) states.push(await copyDisk(at, { id, location }, `${name}-${place}`))
  return outcome(name, states)
}

/** Of a server, kept by it. */
export const backup =
  (version: string): ActionHandler =>
  async (at: At, action: CloudAction) => {
    const name = madeName(action)
    const path = `${at.id}/backups/${name}`
    const query = { 'api-version': version }
    const standing = await ignoreNotFound(at.session.ask({ path, query }))
    if (standing) return { status: 'succeeded' }
    try {
      await at.session.ask({ method: 'PUT', path, query })
    } catch (error) {
      // Asked for a second time, since the first answer was lost, Azure says that there is one already.
      if (await ignoreNotFound(at.session.ask({ path, query }))) return { status: 'succeeded' }
      throw error
    }
    return { status: (await ignoreNotFound(at.session.ask({ path, query }))) ? 'succeeded' : 'running' }
  }
