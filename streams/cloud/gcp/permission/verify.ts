/** What the service account of a project is good for: permission by permission, as Google itself says it. */
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import {
  isCredentialsRefused,
  type CloudAccount,
  type Connector,
  type PermissionCheck,
  type Verification,
} from '#streams/cloud/connector.ts'
import type { Permission } from '#streams/cloud/permission/permission-types.ts'
import { placeInStorage, placeOfBills } from '#streams/cloud/gcp/bill/location.ts'
import { gcpPermissions } from './permissions.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'

export interface GcpVerification {
  open: (account: CloudAccount) => GcpSession
}

/** @throws a `cloudFault` while Google cannot be asked; that it takes no credentials of ours is the verdict `none` */
export function verifyGcp({ open }: GcpVerification): Connector['verify'] {
  return async (account) => {
    try {
      return await verdictIn(open(account), account)
    } catch (error) {
      if (error instanceof Fault && isCredentialsRefused(error)) return none(`${error.message} ${hintOf(error)}`.trim())
      if (error instanceof Fault && isUnknown(error)) return none(unknownProject(account))
      throw error
    }
  }
}

const none = (message: string): Verification => ({ verdict: 'none', missingPermissions: [], message })
const hintOf = ({ detail }: Fault): string => (typeof detail['fixHint'] === 'string' ? detail['fixHint'] : '')

/** Google does not say of a project that one may not see whether there is one. */
const isUnknown = ({ code }: Fault): boolean => code === 'not_found' || code === 'permission_missing'
const unknownProject = ({ externalId }: CloudAccount): string =>
  `The service account cannot see the project ${externalId}. Check the project ID, and that the role is granted in this project.`

type State = PermissionCheck['state']

async function verdictIn(session: GcpSession, account: CloudAccount): Promise<Verification> {
  const wanted = wantedOf(account)
  const { project } = session
  const states = new Map<string, State>()
  for (const [where, some] of Map.groupBy(wanted, (one) => one.where)) {
    const names = some.map(({ name }) => name)
    const test = where.startsWith(bucketMark) ? testedInBucket : testPermissions
    // Of another project than the account's, or of a bucket, a refusal says no more than that.
    const found = await test(session, where, names).catch((error: unknown) => {
      if (where !== project && error instanceof Fault && isUnknown(error)) return new Map<string, State>()
      throw error
    })
    for (const name of names) states.set(name, found.get(name) ?? 'unknown')
  }
  return verdictOf(wanted.map(({ name, access }) => ({ name, access, state: states.get(name) ?? 'unknown' })))
}

interface RequiredPermission {
  name: string
  access: PermissionCheck['access']
  /** The project, or the bucket with `gs://` before it, that grants it. */
  where: string
}

const bucketMark = 'gs://'

/** Each once; what is needed to read and to write is read. Those of bills only where the account says where they are. */
function wantedOf(account: CloudAccount): RequiredPermission[] {
  const wanted = new Map<string, RequiredPermission>()
  for (const permission of gcpPermissions) {
    const { names, access } = permission
    const where = placeOf(permission, account)
    if (where === undefined) continue
    for (const name of names) if (!wanted.has(name) || access === 'read') wanted.set(name, { name, access, where })
  }
  return [...wanted.values()]
}

/** Undefined where the account does not need the permission. */
function placeOf({ use, resources }: Permission, account: CloudAccount): string | undefined {
  if (use !== 'bills') return account.externalId
  if (resources === undefined) return placeOfBills(account)?.project
  const place = placeInStorage(account.billingExport?.location)
  return place && `${bucketMark}${place.bucket}`
}

/** The most that one call takes. */
const atOnce = 100

const TestAnswer = t.Object({ permissions: t.Optional(t.Array(t.String())) })

/** Those that the project has no such permission for stay unknown: Google refuses all that are asked with one of them. */
async function testPermissions(
  session: GcpSession,
  project: string,
  names: readonly string[],
): Promise<Map<string, State>> {
  if (names.length > atOnce) return halves(session, project, names)
  try {
    const { permissions = [] } = await session.ask(
      {
        service: 'cloudresourcemanager',
        path: `/projects/${encodeURIComponent(project)}:testIamPermissions`,
        method: 'POST',
        body: { permissions: names },
        permission: 'resourcemanager.projects.get',
      },
      TestAnswer,
    )
    return new Map(names.map((name) => [name, permissions.includes(name) ? 'granted' : 'missing']))
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'rejected') throw error
    return names.length === 1 ? new Map([[names[0]!, 'unknown']]) : halves(session, project, names)
  }
}

async function testedInBucket(
  session: GcpSession,
  where: string,
  names: readonly string[],
): Promise<Map<string, State>> {
  const path = `/b/${where.slice(bucketMark.length)}/iam/testPermissions`
  const call = { service: 'storage', path, query: { permissions: names }, permission: 'storage.objects.get' } as const
  const { permissions = [] } = await session.ask(call, TestAnswer)
  return new Map(names.map((name) => [name, permissions.includes(name) ? 'granted' : 'missing']))
}

async function halves(session: GcpSession, project: string, names: readonly string[]): Promise<Map<string, State>> {
  const middle = Math.ceil(names.length / 2)
  const first = await testPermissions(session, project, names.slice(0, middle))
  return new Map([...first, ...(await testPermissions(session, project, names.slice(middle)))])
}

/** What is looked at before it is changed: whoever may look may not yet change. */
const looks = /\.(get|list|getData|getIamPolicy|use|useReadOnly)$/

/** Reading without being allowed to write is as it was meant to be: then what writing lacks is in `permissions` alone. */
function verdictOf(permissions: readonly PermissionCheck[]): Verification {
  const names = (access: PermissionCheck['access'], state: State) =>
    permissions.filter((one) => one.access === access && one.state === state).map(({ name }) => name)
  const lacksRead = names('read', 'missing')
  if (names('read', 'granted').length === 0)
    return {
      ...none(
        'The service account has none of the required permissions. Grant it the role printed by tidemark account policy gcp.',
      ),
      missingPermissions: lacksRead.toSorted(),
      permissions,
    }
  const isWriting = names('write', 'granted').some((name) => !looks.test(name))
  const missingPermissions = [...lacksRead, ...(isWriting ? names('write', 'missing') : [])].toSorted()
  return {
    verdict: isWriting ? 'read_write' : 'read_only',
    missingPermissions,
    permissions,
    ...(missingPermissions.length > 0 && {
      message: `The service account is missing ${missingPermissions.length} permissions. Compare its role with the output of tidemark account policy gcp${isWriting ? ' --write' : ''}.`,
    }),
  }
}
