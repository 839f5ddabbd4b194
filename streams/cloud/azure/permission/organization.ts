/** All subscriptions that the application can see, with management groups and tags, by a query of Resource Graph. */
import { decoder, t, type Static } from '#engine/value/schema.ts'
import {
  cloudFault,
  type CloudAccount,
  type ListedAccount,
  type OrganizationListing,
} from '#streams/cloud/connector.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { principalOf } from '#streams/cloud/azure/session/credentials.ts'
import type { AzurePrincipal } from './principal.ts'
import type { AzureOptions } from '#streams/cloud/azure/session/session.ts'

const query = `resourcecontainers
| where type == 'microsoft.resources/subscriptions'
| project subscriptionId, name, tags, state = properties.state, groups = properties.managementGroupAncestorsChain
| order by subscriptionId asc`

const path = '/providers/Microsoft.ResourceGraph/resources'
/** Subscriptions per answer: the maximum of Resource Graph. */
const pageSize = 1000
const pagesMax = 100

/** `groups` begins with the nearest group and ends with the tenant's root. Azure may leave out any other member. */
const Row = t.Object(
  {
    subscriptionId: t.String({ minLength: 1, maxLength: 64 }),
    name: t.Optional(t.Union([t.String(), t.Null()])),
    tags: t.Optional(t.Union([t.Record(t.String(), t.Unknown()), t.Null()])),
    state: t.Optional(t.Union([t.String(), t.Null()])),
    groups: t.Optional(
      t.Union([
        t.Array(
          t.Object(
            {
              name: t.Optional(t.Union([t.String(), t.Null()])),
              displayName: t.Optional(t.Union([t.String(), t.Null()])),
            },
            { additionalProperties: true },
          ),
        ),
        t.Null(),
      ]),
    ),
  },
  { additionalProperties: true },
)

const decode = decoder(
  t.Object(
    { totalRecords: t.Integer(), data: t.Array(Row), $skipToken: t.Optional(t.Union([t.String(), t.Null()])) },
    { additionalProperties: true },
  ),
)

/** @throws if an answer lacks a subscription that Azure has counted, or the account's own */
export async function subscriptionsOf(
  options: AzureOptions,
  account: CloudAccount,
  signal?: AbortSignal,
): Promise<OrganizationListing> {
  const session = openAzure(account, options, signal)
  const found = new Map<string, ListedAccount>()
  let token: string | undefined
  for (let page = 0; page < pagesMax; page++) {
    const answer = read(
      await session.ask({
        method: 'POST',
        path,
        query: { 'api-version': '2021-03-01' },
        permission: 'Microsoft.Resources/subscriptions/read',
        body: { query, options: { resultFormat: 'objectArray', $top: pageSize, ...(token && { $skipToken: token }) } },
      }),
    )
    for (const row of answer.data) found.set(row.subscriptionId.toLowerCase(), toListedAccount(row))
    token = answer.$skipToken || undefined
    if (token !== undefined) continue
    if (found.size !== answer.totalRecords || !found.has(account.externalId.toLowerCase()))
      throw unread('leaves subscriptions out')
    return { managementId: account.externalId.toLowerCase(), accounts: [...found.values()] }
  }
  throw unread('has no end')
}

function read(answer: unknown) {
  try {
    return decode(answer)
  } catch (error) {
    throw unread('cannot be read', error)
  }
}

const unread = (what: string, error?: unknown) =>
  cloudFault('system', 'unknown_answer', `The Resource Graph response about subscriptions ${what}.`, {}, error)

/** States in which charges continue, including late payment. */
const active = ['enabled', 'warned', 'pastdue']

function toListedAccount({ subscriptionId, name, tags, state, groups }: Static<typeof Row>): ListedAccount {
  const units = (groups ?? [])
    .slice(0, -1)
    .map((group) => (group.displayName || group.name || '').replaceAll('/', '-'))
    .toReversed()
  const texts = Object.entries(tags ?? {}).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []))
  return {
    externalId: subscriptionId.toLowerCase(),
    name: name || subscriptionId,
    path: `/${units.join('/')}`,
    tags: Object.fromEntries(texts),
    isActive: active.includes((state ?? 'Enabled').toLowerCase()),
  }
}

/** Subscriptions of the organization use the same application; kubeconfigs are of the account's own clusters. */
export function applicationOf(account: CloudAccount): AzurePrincipal {
  const { kubeconfigs: _, ...application } = principalOf(account)
  return application
}
