/** All accounts of an AWS organization, with their organizational units and tags. */
import type { CloudAccount, ListedAccount, OrganizationListing } from '#streams/cloud/connector.ts'
import { bucketOf, cloudFault, isCredentialsRefused } from '#streams/cloud/connector.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { Fault } from '#engine/value/fault.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import { globalRegion, type AwsOptions, type AwsSession } from '#streams/cloud/aws/session/session.ts'

/** Simultaneous calls for tags; calls are also rate limited. */
const callsAtOnce = 4
/** Maximum organizational units; AWS allows 2,000. */
const unitsMax = 10_000

interface Unit {
  id: string
  path: string
}

/** One call per page of each unit, and with `withTags` one per account. @throws if a unit cannot be listed */
export async function organizationOf(
  options: AwsOptions,
  account: CloudAccount,
  withTags: boolean,
  signal?: AbortSignal,
): Promise<OrganizationListing> {
  const session = openAws(account, options, signal)
  try {
    const { Organization } = await session.ask(
      'organizations',
      globalRegion,
      (m) => new m.DescribeOrganizationCommand({}),
    )
    const managementId = Organization?.MasterAccountId ?? ''
    const accounts = await accountsOf(session)
    // If the management account is missing, the answer is incomplete.
    if (!accounts.some(({ externalId }) => externalId === managementId))
      throw cloudFault('system', 'unknown_answer', 'AWS lists the organization without its management account.')
    if (!withTags) return { managementId, accounts }
    const { tagged, message } = await withTagsOf(session, accounts)
    return { managementId, accounts: tagged, ...(message !== undefined && { message }) }
  } finally {
    session.close()
  }
}

async function accountsOf(session: AwsSession): Promise<ListedAccount[]> {
  const found = new Map<string, ListedAccount>()
  const waiting: Unit[] = await rootsOf(session)
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen > unitsMax)
      throw cloudFault('system', 'unknown_answer', `The organization has more than ${unitsMax} units.`)
    const unit = waiting.shift()!
    for (const account of await accountsIn(session, unit)) found.set(account.externalId, account)
    waiting.push(...(await unitsIn(session, unit)))
  }
  return [...found.values()].toSorted((one, other) => (one.externalId < other.externalId ? -1 : 1))
}

const withNextToken = (NextToken: string | undefined) => (NextToken === undefined ? {} : { NextToken })

async function rootsOf(session: AwsSession): Promise<Unit[]> {
  const pages = session.pages(
    'organizations',
    globalRegion,
    (m, token) => new m.ListRootsCommand(withNextToken(token)),
    ({ NextToken }) => NextToken,
  )
  const roots = (await Array.fromAsync(pages)).flatMap(({ Roots = [] }) => Roots)
  return roots.map(({ Id = '' }) => ({ id: Id, path: '/' }))
}

async function accountsIn(session: AwsSession, { id: ParentId, path }: Unit): Promise<ListedAccount[]> {
  const pages = session.pages(
    'organizations',
    globalRegion,
    (m, token) => new m.ListAccountsForParentCommand({ ParentId, ...withNextToken(token) }),
    ({ NextToken }) => NextToken,
  )
  const accounts = (await Array.fromAsync(pages)).flatMap(({ Accounts = [] }) => Accounts)
  return accounts.flatMap(({ Id = '', Name, Status, State = Status }) =>
    Id === '' ? [] : { externalId: Id, name: Name || Id, path, isActive: State === 'ACTIVE' },
  )
}

async function unitsIn(session: AwsSession, { id: ParentId, path }: Unit): Promise<Unit[]> {
  const pages = session.pages(
    'organizations',
    globalRegion,
    (m, token) => new m.ListOrganizationalUnitsForParentCommand({ ParentId, ...withNextToken(token) }),
    ({ NextToken }) => NextToken,
  )
  const units = (await Array.fromAsync(pages)).flatMap(({ OrganizationalUnits = [] }) => OrganizationalUnits)
  return units.map(({ Id = '', Name = Id }) => ({ id: Id, path: `${path === '/' ? '' : path}/${Name}` }))
}

/** An account whose tags cannot be read has none here. */
async function withTagsOf(
  session: AwsSession,
  accounts: readonly ListedAccount[],
): Promise<{ tagged: ListedAccount[]; message?: string }> {
  let failed = 0
  let why = ''
  const tagged = await mapConcurrently(accounts, callsAtOnce, async (account): Promise<ListedAccount> => {
    try {
      return { ...account, tags: await tagsOf(session, account.externalId) }
    } catch (error) {
      if (!(error instanceof Fault) || isCredentialsRefused(error) || bucketOf(error) === 'system') throw error
      failed++
      why = error.message
      return account
    }
  })
  return { tagged, ...(failed > 0 && { message: `The tags of ${failed} accounts could not be read: ${why}` }) }
}

async function tagsOf(session: AwsSession, ResourceId: string): Promise<Record<string, string>> {
  const pages = session.pages(
    'organizations',
    globalRegion,
    (m, token) => new m.ListTagsForResourceCommand({ ResourceId, ...withNextToken(token) }),
    ({ NextToken }) => NextToken,
  )
  const tags = (await Array.fromAsync(pages)).flatMap(({ Tags = [] }) => Tags)
  return Object.fromEntries(tags.flatMap(({ Key, Value = '' }) => (Key === undefined ? [] : [[Key, Value]])))
}
