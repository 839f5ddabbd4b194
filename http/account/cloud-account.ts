import { seenByCloud } from '#actors/account/connection/cloud.ts'
import { credentialsSealed } from '#actors/account/connection/credentials.ts'
import { accountId } from '#streams/account/id.ts'
import { accountOf, findAccount, listAccounts } from '#actors/account/queries.ts'
import { accountStatuses, permissionVerdicts, type CloudAccount as Row } from '#actors/account/entity.ts'
import { jobsAt } from '#actors/catalog/queries.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Credentials, credentialsOf } from '#http/account/credential.ts'
import { Driver, driverOf } from '#http/account/driver.ts'
import { checkBillPlace, checkCredentials } from '#http/account/check-input.ts'
import { getAccount } from '#http/account/get-account.ts'
import { checkOrganization, ShownMembership, ShownOrganization, showOrganization } from '#http/account/organization.ts'
import { orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { reply } from '#http/store/reply.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { accountConnected, accountPatched, accountRemoved } from '#streams/account/messages.ts'
import { CloudOrganization } from '#streams/account/organization.ts'
import { verify } from '#http/account/verification.ts'
import { isProvider, providers, providerStandIns, realName, type Provider } from '#streams/names.ts'
import { refreshRequested } from '#streams/refresh.ts'
import { text } from '#streams/text.ts'

const BillingExport = t.Object(
  {
    kind: text({
      minLength: 1,
      description:
        'a name for the kind of export, such as cur, focus, bigquery, storage or cost-management; none: no bills are fetched. The format of the files is detected',
      examples: ['focus'],
    }),
    location: text({
      minLength: 1,
      description:
        'AWS: s3://BUCKET/PREFIX. Google Cloud: bigquery://PROJECT/DATASET (the detailed usage cost export) or gs://BUCKET/PREFIX ' +
        '(exported files). Azure: https://ACCOUNT.blob.core.windows.net/CONTAINER/DIRECTORY, or /subscriptions/ID to query its costs from Cost Management',
      examples: [
        's3://acme-billing/cur/daily',
        'bigquery://shop-bills/export',
        'gs://shop-bills/focus/',
        'https://acmebilling.blob.core.windows.net/exports/daily',
        '/subscriptions/11111111-2222-3333-4444-555555555555',
      ],
    }),
    acceptShrink: t.Optional(
      t.Boolean({
        description:
          'true: from the next sync on, a new bill is accepted even if it is less than half of the one it replaces; false: such ' +
          'a bill is held, and the sync status reports it',
      }),
    ),
  },
  { description: 'where the bills are stored; replaced as a whole, so an omitted member is removed' },
)

const CloudAccount = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    name: t.String(),
    provider: t.String({
      description:
        'aws, gcp or azure; other: any other provider, known only from its bills; empty until some data of the account names the provider',
    }),
    externalID: t.String({ description: 'the account number or name at the provider' }),
    driver: Driver,
    regions: t.Array(t.String(), { description: 'an empty list means all enabled regions' }),
    status: t.Enum(accountStatuses),
    permissionVerdict: t.Enum(permissionVerdicts),
    missingPermissions: t.Array(t.String()),
    billingExport: t.Optional(BillingExport),
    organization: t.Optional(ShownOrganization),
    membership: t.Optional(ShownMembership),
    message: t.Optional(t.String()),
    lastVerifiedAt: orNull(Timestamp),
    lastSyncedAt: orNull(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'CloudAccount',
    examples: [
      {
        id: 'acct-1',
        orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
        name: 'Production',
        provider: 'aws',
        externalID: '123456789012',
        driver: 'real',
        regions: ['us-east-1'],
        status: 'connected',
        permissionVerdict: 'read_write',
        missingPermissions: [],
        billingExport: { kind: 'cur', location: 's3://acme-billing/cur/daily' },
        membership: {
          managedBy: '7d0a3a52-6a55-8b0e-9a6e-1c3c0a1f5b01',
          path: '/Production/Payments',
          tags: { env: 'prod' },
          status: 'active',
          isManaged: true,
        },
        lastVerifiedAt: '2026-01-15T10:00:00.000Z',
        lastSyncedAt: '2026-01-15T10:00:00.000Z',
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)
export type ConnectedAccount = Static<typeof CloudAccount>

/** An account as every endpoint shows it, without its credentials. */
const show = (a: Row, { cloudOf }: Pick<Services, 'cloudOf'>): ConnectedAccount => ({
  id: a.id,
  orgID: a.orgId,
  name: a.name,
  provider: a.provider,
  externalID: a.externalId,
  driver: driverOf(a, cloudOf),
  regions: a.regions,
  status: a.status,
  permissionVerdict: a.permissionVerdict,
  missingPermissions: a.missingPermissions,
  ...(a.billingExport && { billingExport: a.billingExport }),
  ...showOrganization(a),
  ...(a.message && { message: a.message }),
  lastVerifiedAt: timestamp(a.lastVerifiedAt),
  lastSyncedAt: timestamp(a.lastSyncedAt),
  createdAt: a.createdAt.toISOString(),
  updatedAt: a.updatedAt.toISOString(),
})

const Region = text({ pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,63}$', description: "the cloud's own name for the region" })

const CreateBody = t.Object(
  {
    name: text({ minLength: 1, maxLength: 200 }),
    provider: t.Enum([...providers, ...providerStandIns], {
      description: 'aws, gcp or azure; of a cluster without a cloud account: the provider of its nodes',
    }),
    externalID: text({
      minLength: 1,
      maxLength: 256,
      description:
        'the account number or name at the provider; cluster/NAME for a Kubernetes cluster without a cloud account',
    }),
    credentials: t.Optional(Credentials),
    regions: t.Optional(t.Array(Region, { maxItems: 200 })),
    billingExport: t.Optional(BillingExport),
    organization: t.Optional(CloudOrganization),
  },
  {
    examples: [
      { name: 'Production', provider: 'aws', externalID: '123456789012' },
      {
        name: 'Shop',
        provider: 'gcp',
        externalID: 'shop-prod',
        billingExport: { kind: 'storage', location: 'gs://shop-bills/focus/' },
      },
      {
        name: 'Payments',
        provider: 'azure',
        externalID: '11111111-2222-3333-4444-555555555555',
        credentials: {
          tenantID: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
          clientID: '99999999-8888-7777-6666-555555555555',
          workloadIdentity: true,
        },
        billingExport: {
          kind: 'cost-management',
          location: '/subscriptions/11111111-2222-3333-4444-555555555555',
        },
      },
    ],
  },
)

const PatchBody = t.Object(
  {
    name: t.Optional(text({ minLength: 1, maxLength: 200 })),
    credentials: t.Optional(Credentials),
    regions: t.Optional(t.Array(Region, { maxItems: 200 })),
    billingExport: t.Optional(orNull(BillingExport)),
    organization: t.Optional(orNull(CloudOrganization)),
    enabled: t.Optional(t.Boolean({ description: 'false stops all syncs; true resumes them' })),
  },
  { examples: [{ name: 'Production', enabled: false }] },
)

/** @throws Fault `invalid` if the name is none of the three clouds */
function providerOf(name: string): Provider {
  const real = realName(name)
  if (isProvider(real)) return real
  throw badInput({ in: 'body', name: '/provider', code: 'enum', message: `must be one of ${providers.join(', ')}` })
}

/**
 * Connects an account. Its actor decides whether it already is: a repeat gets the original reply.
 * @throws Fault `conflict` `already_exists`, `refused` `limit_reached`
 */
async function connect(orgId: string, body: Static<typeof CreateBody>, services: Services): Promise<string> {
  const { em, ask, seal } = services
  const provider = providerOf(body.provider)
  const credentials =
    body.credentials === undefined
      ? null
      : seal(credentialsSealed, orgId, credentialsOf({ provider, externalId: body.externalID }, body.credentials))
  if (body.credentials !== undefined) {
    const placed = { provider, externalId: body.externalID, credentials: body.credentials }
    checkCredentials(placed, services)
    checkBillPlace(placed, body.billingExport, services)
  }
  checkOrganization(
    { provider, externalId: body.externalID, credentials: body.credentials ?? null },
    body.organization,
    services,
  )
  const id = accountId(orgId, provider, body.externalID)
  const isKnown = (await findAccount(em, orgId, id)) !== null
  // An account fed by producers has the id they gave it.
  if (!isKnown && (await accountOf(em, orgId, provider, body.externalID))) {
    throw Fault.conflict('already_exists', 'This provider account is already connected.')
  }
  if (!isKnown) await checkRowLimit(em, 'cloud_account', orgId)
  const { name, externalID: externalId, regions = [], billingExport = null, organization } = body
  const following = organization && { organization }
  await ask(accountConnected, { id, name, provider, externalId, credentials, regions, billingExport, ...following })
  return id
}

/** Whether the place of an account's bills has changed. */
function isElsewhere(
  account: Row,
  now: { kind: string; location: string } | null | undefined,
  { cloudOf }: Pick<Services, 'cloudOf'>,
): boolean {
  const { billingExport: was } = account
  return (
    Boolean(now) && driverOf(account, cloudOf) === 'real' && (was?.kind !== now!.kind || was.location !== now!.location)
  )
}

function patchOf(account: Row, { credentials, ...rest }: Static<typeof PatchBody>, services: Services) {
  const provider = providerOf(account.provider)
  const { externalId } = account
  const sealed =
    credentials && services.seal(credentialsSealed, account.orgId, credentialsOf({ provider, externalId }, credentials))
  if (credentials) checkCredentials({ provider, externalId, credentials }, services)
  const known = { provider, externalId, credentials: account.credentials }
  if (rest.billingExport !== undefined) {
    const opened = credentials ?? seenByCloud(account, provider, services).credentials
    checkBillPlace({ ...known, credentials: opened }, rest.billingExport, services)
  }
  checkOrganization({ ...known, credentials: credentials ?? known.credentials }, rest.organization, services)
  const history = isElsewhere(account, rest.billingExport, services)
  return { id: account.id, ...rest, ...(sealed !== undefined && { credentials: sealed }), ...(history && { history }) }
}

/**
 * Starts the first discovery. The account is connected already: if no refresh can be started, a person can request one
 * later.
 */
async function discover({ id, provider }: Row, { ask, newId }: Services): Promise<void> {
  try {
    const accounts = [{ cloudAccountId: id, provider: providerOf(provider) }]
    await ask(refreshRequested, { refreshId: newId(), accounts })
  } catch (error) {
    if (Fault.from(error).kind !== 'transient') throw error
  }
}

/**
 * Records what happened to credentials. The account's actor has already changed them: if the process ends in between, a
 * repeat with the same Idempotency-Key records it, under the same event id.
 */
async function recordCredentials(
  { caller: { orgId, userId, principal }, client }: Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>,
  { em, now, newId }: Services,
  detail: { cloudAccountID: string; change: 'given' | 'replaced' | 'removed' },
): Promise<void> {
  const happened = { id: newId(), type: 'credentials_changed', orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}

const routeBase = { tags: ['Cloud accounts'] } as const
const params = t.Object({ cloudAccountID: t.String() })

export const cloudAccounts: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/cloud-accounts',
    summary: 'Connect a cloud account, check its credentials and start its first discovery',
    description:
      'Responds after querying the cloud. permissionVerdict has the result; credentials that the cloud rejects are not an error. Credentials are encrypted and never returned. Discovery continues after the response; follow it with GET /resources/refresh/status. Each provider account can be connected once.',
    permission: 'space.create',
    unscoped: true,
    status: 201,
    headers: { Location: 'URL of the new account' },
    body: CreateBody,
    reply: CloudAccount,
    refuses: { 409: ['already_exists'], 422: ['capability_missing', 'limit_reached'] },
    handle: async (request, services) => {
      const { caller, body } = request
      const id = await connect(caller.orgId, body, services)
      if (body.credentials !== undefined)
        await recordCredentials(request, services, { cloudAccountID: id, change: 'given' })
      const account = await getAccount(services.em, caller.orgId, id)
      await verify(account, services)
      await discover(account, services)
      return reply(show(await getAccount(services.em, caller.orgId, id), services), {
        headers: { Location: `/cloud-accounts/${encodeURIComponent(id)}` },
      })
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/cloud-accounts',
    summary: 'List cloud accounts, sorted by name',
    description:
      'Includes all connected accounts and all accounts that producers send data for, in any status. Credentials are never returned.',
    permission: 'space.view',
    query: t.Object({
      search: t.Optional(
        t.String({
          description:
            'part of the name, the ID, the account number at the provider or the path in its organization; case-insensitive',
        }),
      ),
      ...paging(20, 100),
    }),
    reply: pageOf(CloudAccount),
    handle: async ({ caller, query }, services) => {
      const page = await listAccounts(services.em, caller.orgId, query.search, slice(query))
      return toPage({ items: page.items.map((one) => show(one, services)), total: page.total }, query)
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/cloud-accounts/:cloudAccountID',
    summary: 'Get a cloud account',
    description:
      'Includes the result of the last check, the time of the last complete discovery, and the driver of the account. Credentials are never returned.',
    permission: 'space.view',
    params,
    reply: CloudAccount,
    handle: async ({ caller, params: { cloudAccountID } }, services) =>
      show(await getAccount(services.em, caller.orgId, cloudAccountID), services),
  }),

  route({
    ...routeBase,
    method: 'PATCH',
    path: '/cloud-accounts/:cloudAccountID',
    summary: 'Update a cloud account; new credentials are checked',
    description:
      'Omitted fields are unchanged. Null removes the billing export, or stops following the organization. Re-enabling an account checks it again. The provider and the external ID cannot be changed.',
    permission: 'space.update',
    unscoped: true,
    params,
    body: PatchBody,
    reply: CloudAccount,
    refuses: { 422: ['capability_missing'] },
    handle: async (request, services) => {
      const {
        caller,
        params: { cloudAccountID },
        body,
      } = request
      const account = await getAccount(services.em, caller.orgId, cloudAccountID)
      const hadCredentials = account.credentials !== null
      await services.ask(accountPatched, patchOf(account, body, services))
      if (body.credentials !== undefined)
        await recordCredentials(request, services, {
          cloudAccountID: account.id,
          change: hadCredentials ? 'replaced' : 'given',
        })
      const patched = await getAccount(services.em, caller.orgId, cloudAccountID)
      if (body.credentials === undefined && body.enabled !== true) return show(patched, services)
      await verify(patched, services)
      return show(await getAccount(services.em, caller.orgId, cloudAccountID), services)
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/cloud-accounts/:cloudAccountID',
    summary: 'Disconnect a cloud account: its resources leave the inventory, its costs remain',
    description:
      'Returns 409 account_in_use while provisioned infrastructure exists in the account, because it could no longer be ' +
      'deleted. Infrastructure whose deletion was attempted and failed does not count.',
    permission: 'space.delete',
    unscoped: true,
    status: 204,
    params,
    refuses: { 409: ['account_in_use'] },
    handle: async (request, services) => {
      const { caller, params } = request
      const { id, credentials } = await getAccount(services.em, caller.orgId, params.cloudAccountID)
      const jobs = await jobsAt(services.em, caller.orgId, id)
      if (jobs > 0)
        throw Fault.conflict('account_in_use', `${jobs} provisioning jobs in this account are not deleted yet.`)
      await services.ask(accountRemoved, { id })
      if (credentials !== null) await recordCredentials(request, services, { cloudAccountID: id, change: 'removed' })
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/cloud-accounts/:cloudAccountID/verify',
    summary: 'Check the credentials of a cloud account again',
    description:
      'Queries the cloud and stores the verdict with the account. POST /cloud-accounts/{cloudAccountID}/check reports each permission.',
    permission: 'space.update',
    params,
    reply: CloudAccount,
    refuses: { 422: ['capability_missing'] },
    handle: async ({ caller, params: { cloudAccountID } }, services) => {
      await verify(await getAccount(services.em, caller.orgId, cloudAccountID), services)
      return show(await getAccount(services.em, caller.orgId, cloudAccountID), services)
    },
  }),
]
