/** Instances of Cloud SQL. */
import { Backups, StartedOperation, Database } from '#streams/cloud/gcp/answer/service.ts'
import { databaseStatus } from '#streams/cloud/gcp/map/service.ts'
import { numberOf } from '#streams/cloud/gcp/map/resource.ts'
import { partsOf } from '#streams/cloud/gcp/resource-path.ts'
import {
  absent,
  ignoreNotFound,
  snapshotProgress,
  unsupportedFault,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, flagIn, numberIn, textIn } from '#streams/cloud/resource/verb/spec.ts'
import type { At, Verbs } from './kind.ts'

function pathOfDatabase({ ref }: At): string {
  const { projects, instances } = partsOf(ref.resourceUid, 'projects', 'instances')
  return `/projects/${projects}/instances/${instances}`
}

async function look(at: At): Promise<ResourceState> {
  const call = { service: 'sqladmin', path: pathOfDatabase(at), permission: 'cloudsql.instances.get' } as const
  const found = await ignoreNotFound(at.session.ask(call, Database))
  if (!found) return absent
  const { settings = {} } = found
  return {
    exists: true,
    ...dropNullish({ status: databaseStatus(found), instanceType: settings.tier }),
    specs: dropNullish({
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

/** A replica follows its primary. */
const switchPower =
  (activationPolicy: 'ALWAYS' | 'NEVER'): Verbs['start'] =>
  (at, { specs }) => {
    if (specs?.['is_replica'] === true)
      throw unsupportedFault(at.ref, 'starting and stopping on its own: it follows its primary')
    return patchSettings(at, { activationPolicy })
  }

const set: Verbs['set'] = async (at, specs, { specs: now = {} }) => {
  const size = numberIn(specs, 'size_gb')
  if (size !== undefined && size < Number(now['size_gb'] ?? 0)) throw unsupportedFault(at.ref, 'shrinking')
  const backups = flagIn(specs, 'backups_enabled')
  const network = dropNullish({ ipv4Enabled: flagIn(specs, 'public_ip'), sslMode: textIn(specs, 'ssl_mode') })
  await patchSettings(
    at,
    dropNullish({
      tier: textIn(specs, 'instance_type'),
      availabilityType: textIn(specs, 'availability'),
      edition: textIn(specs, 'edition'),
      dataDiskSizeGb: size === undefined ? undefined : String(size),
      deletionProtectionEnabled: flagIn(specs, 'deletion_protection'),
      ...(Object.keys(network).length > 0 && { ipConfiguration: network }),
      ...(backups !== undefined && { backupConfiguration: { enabled: backups } }),
    }),
  )
}

/** Backups have no name: one is found by its description. It is asked for once, because a lost answer may have created it. */
const snapshot: Verbs['snapshot'] = {
  find: async (at, name) => {
    const call = {
      service: 'sqladmin',
      path: `${pathOfDatabase(at)}/backupRuns`,
      query: { maxResults: 100 },
      permission: 'cloudsql.backupRuns.list',
    } as const
    for await (const { items = [] } of at.session.pages(call, Backups)) {
      const status = items.find(({ description }) => description === name)?.status
      if (status !== undefined) return snapshotProgress(name, status)
    }
    return undefined
  },
  create: (at, name) => {
    const call = {
      service: 'sqladmin',
      path: `${pathOfDatabase(at)}/backupRuns`,
      method: 'POST',
      body: { description: name },
      repeatable: false,
      permission: 'cloudsql.backupRuns.create',
    } as const
    return at.session.ask(call, StartedOperation)
  },
}

export const database: ResourceKind<At> = {
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
  start: switchPower('ALWAYS'),
  stop: switchPower('NEVER'),
  set,
  snapshot,
  delete: (at) =>
    at.session.ask(
      { service: 'sqladmin', path: pathOfDatabase(at), method: 'DELETE', permission: 'cloudsql.instances.delete' },
      StartedOperation,
    ),
}
