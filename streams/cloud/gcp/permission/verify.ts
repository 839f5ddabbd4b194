/** Verifies the service account's permissions one by one, with Google's own test. */
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
import { eachOnce, noAccess, refusedAccess, verdictOf, type VerdictRules } from '#streams/cloud/permission/verdict.ts'
import { placeInStorage, placeOfBills } from '#streams/cloud/gcp/bill/location.ts'
import { gcpPermissions } from './permissions.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'

export interface GcpVerification {
  open: (account: CloudAccount) => GcpSession
}

/** @throws a `cloudFault` if Google cannot be reached. If Google refuses the credentials, the verdict is `none`. */
export function verifyGcp({ open }: GcpVerification): Connector['verify'] {
  return async (account) => {
    try {
      return await verdictIn(open(account), account)
    } catch (error) {
      if (error instanceof Fault && isCredentialsRefused(error)) return refusedAccess(error)
      if (error instanceof Fault && isUnknown(error)) return noAccess(unknownProject(account))
      throw error
    }
  }
}

const rules: VerdictRules = {
  table: gcpPermissions,
  who: 'The service account',
  document: 'role',
  give: 'Grant it the role',
  command: 'tidemark account policy gcp',
  unknown: 'Google did not report any permission of the service account. Verify the account again later.',
}

/** For a project that one may not see, Google does not tell whether it exists. */
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
    // For another project than the account's, or a bucket, a refusal proves nothing more.
    const found = await test(session, where, names).catch((error: unknown) => {
      if (where !== project && error instanceof Fault && isUnknown(error)) return new Map<string, State>()
      throw error
    })
    for (const name of names) states.set(`${where} ${name}`, found.get(name) ?? 'unknown')
  }
  return verdictOf(
    eachOnce(wanted).map(({ name, access }) => {
      const of = wanted.filter((one) => one.name === name).map(({ where }) => states.get(`${where} ${name}`))
      return { name, access, state: worst.find((state) => of.includes(state)) ?? 'unknown' }
    }),
    rules,
  )
}

/** Of what is needed in several places, the first of these counts. */
const worst = ['missing', 'unknown', 'granted'] as const

interface RequiredPermission {
  name: string
  access: PermissionCheck['access']
  /** What grants it: the project, or a bucket with the prefix `gs://`. */
  where: string
}

const bucketMark = 'gs://'

/** Each once in each place. Those of bills only if the account says where they are. */
function wantedOf(account: CloudAccount): RequiredPermission[] {
  const all = gcpPermissions.flatMap((permission) => {
    const { names, access } = permission
    const where = placeOf(permission, account)
    return where === undefined ? [] : names.map((name) => ({ name, access, where }))
  })
  return [...Map.groupBy(all, ({ where }) => where).values()].flatMap((some) => eachOnce(some))
}

/** Undefined if the account does not need the permission. */
function placeOf({ use, resources }: Permission, account: CloudAccount): string | undefined {
  if (use !== 'bills') return account.externalId
  if (resources === undefined) return placeOfBills(account)?.project
  const place = placeInStorage(account.billingExport?.location)
  return place && `${bucketMark}${place.bucket}`
}

/** Maximum permissions per call. */
const atOnce = 100

const TestAnswer = t.Object({ permissions: t.Optional(t.Array(t.String())) })

/** Permissions that cannot be tested on the project stay unknown: Google refuses a whole call that contains one. */
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
