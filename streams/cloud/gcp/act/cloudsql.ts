/** Instances of Cloud SQL. */
import { cloudFault, type ActionOutcome } from '#streams/cloud/connector.ts'
import { Backups, StartedOperation, Database } from '#streams/cloud/gcp/answer/service.ts'
import { databaseStatus } from '#streams/cloud/gcp/map/service.ts'
import { numberOf } from '#streams/cloud/gcp/map/resource.ts'
import { partsOf } from '#streams/cloud/gcp/resource-path.ts'
import {
  deleting,
  flagIn,
  ignoreNotFound,
  requireExisting,
  madeName,
  notThere,
  numberIn,
  setting,
  switching,
  textIn,
  told,
  unsupported,
  type At,
  type ActionHandler,
  type ResourceKind,
  type ResourceState,
} from './kind.ts'

function pathOfDatabase({ ref }: At): string {
  const { projects, instances } = partsOf(ref.resourceUid, 'projects', 'instances')
  return `/projects/${projects}/instances/${instances}`
}

async function look(at: At): Promise<ResourceState> {
  const call = { service: 'sqladmin', path: pathOfDatabase(at), permission: 'cloudsql.instances.get' } as const
  const found = await ignoreNotFound(at.session.ask(call, Database))
  if (!found) return notThere
  const { settings = {} } = found
  return {
    exists: true,
    ...told({ status: databaseStatus(found), instanceType: settings.tier }),
    specs: told({
      availability: settings.availabilityType,
      edition: settings.edition,
      size_gb: numberOf(settings.dataDiskSizeGb),
      backups_enabled: settings.backupConfiguration?.enabled ?? false,
      public_ip: settings.ipConfiguration?.ipv4Enabled,
      ssl_mode: settings.ipConfiguration?.sslMode,
      deletion_protection: settings.deletionProtectionEnabled ?? false,
      is_replica: found.masterInstanceName !== undefined,
    }),
    isGoing: found.state === 'PENDING_DELETE',
  }
}

/** Members that are told replace those that stand; the others stay. */
async function patchSettings(at: At, settings: object): Promise<void> {
  const call = {
    service: 'sqladmin',
    path: pathOfDatabase(at),
    method: 'PATCH',
    body: { settings },
    permission: 'cloudsql.instances.update',
  } as const
  await at.session.ask(call, StartedOperation)
}

const switchPower = (want: 'running' | 'stopped', activationPolicy: 'ALWAYS' | 'NEVER'): ActionHandler =>
  switching(look, want, (at, { specs }) => {
    if (specs?.['is_replica'] === true)
      throw unsupported(at.ref, `${want === 'running' ? 'starting' : 'stopping'} on its own: it follows its primary`)
    return patchSettings(at, { activationPolicy })
  })

const set = setting(look, async (at, specs, { specs: now = {} }) => {
  const size = numberIn(specs, 'size_gb')
  if (size !== undefined && size < Number(now['size_gb'] ?? 0)) throw unsupported(at.ref, 'shrinking')
  const backups = flagIn(at, specs, 'backups_enabled')
  const network = told({ ipv4Enabled: flagIn(at, specs, 'public_ip'), sslMode: textIn(specs, 'ssl_mode') })
  await patchSettings(
    at,
    told({
      tier: textIn(specs, 'instance_type'),
      availabilityType: textIn(specs, 'availability'),
      edition: textIn(specs, 'edition'),
      dataDiskSizeGb: size === undefined ? undefined : String(size),
      deletionProtectionEnabled: flagIn(at, specs, 'deletion_protection'),
      ...(Object.keys(network).length > 0 && { ipConfiguration: network }),
      ...(backups !== undefined && { backupConfiguration: { enabled: backups } }),
    }),
  )
})

/** Backups have no name: one is known again by its description. A call is asked once, for one that is not answered may have made it. */
const snapshot: ActionHandler = async (at, action) => {
  const name = madeName(action)
  const found = await backupState(at, name)
  if (found) return found
  await requireExisting(look, at)
  const call = {
    service: 'sqladmin',
    path: `${pathOfDatabase(at)}/backupRuns`,
    method: 'POST',
    body: { description: name },
    repeatable: false,
    permission: 'cloudsql.backupRuns.create',
  } as const
  await at.session.ask(call, StartedOperation)
  return (await backupState(at, name)) ?? { status: 'running' }
}

async function backupState(at: At, name: string): Promise<ActionOutcome | undefined> {
  const call = {
    service: 'sqladmin',
    path: `${pathOfDatabase(at)}/backupRuns`,
    query: { maxResults: 100 },
    permission: 'cloudsql.backupRuns.list',
  } as const
  for await (const { items = [] } of at.session.pages(call, Backups)) {
    const status = items.find(({ description }) => description === name)?.status
    if (status === 'FAILED' || status === 'SKIPPED')
      throw cloudFault('user_action', 'snapshot_failed', `Google could not create the backup ${name}.`)
    if (status !== undefined) return { status: status === 'SUCCESSFUL' ? 'succeeded' : 'running' }
  }
  return undefined
}

export const database: ResourceKind = {
  look,
  sets: [
    'instance_type',
    'availability',
    'edition',
    'size_gb',
    'backups_enabled',
    'public_ip',
    'ssl_mode',
    'deletion_protection',
  ],
  acts: {
    start: switchPower('running', 'ALWAYS'),
    stop: switchPower('stopped', 'NEVER'),
    set,
    snapshot,
    delete: deleting(look, (at) =>
      at.session.ask(
        { service: 'sqladmin', path: pathOfDatabase(at), method: 'DELETE', permission: 'cloudsql.instances.delete' },
        StartedOperation,
      ),
    ),
  },
}
