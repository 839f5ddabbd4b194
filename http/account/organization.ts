/** Cloud organizations: a preview of what following one would change, and a sync now. */
import { accountsSeen } from '#actors/account/queries.ts'
import type { CloudAccount as Row } from '#actors/account/entity.ts'
import { needsTags } from '#actors/account/organization/filter.ts'
import { listOrganization, managerOf, planListing } from '#actors/account/organization/listing.ts'
import { leftReasons, type PlannedAction } from '#actors/account/organization/plan.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { getAccount } from '#http/account/get-account.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { memberStatuses, CloudOrganization } from '#streams/account/organization.ts'
import type { AccountIdentity } from '#streams/cloud/index.ts'
import { jobRequested } from '#streams/job.ts'

export const ShownOrganization = t.Object(
  {
    ...CloudOrganization.properties,
    listedAccounts: t.Integer({ description: 'number of accounts in the last listing of the organization' }),
    lastListedAt: orNull(Timestamp),
    message: t.Optional(t.String({ description: 'why listing failed, or which part of it could not be read' })),
  },
  {
    description: 'how the member accounts of its organization are connected; omitted if only this account is connected',
  },
)

export const ShownMembership = t.Object(
  {
    managedBy: t.String({ description: 'the account through which the organization is connected' }),
    path: t.String({ description: 'organizational units, starting at the root' }),
    tags: t.Record(t.String(), t.String(), { description: 'tags of the account in its organization' }),
    status: t.Enum(memberStatuses),
    isManaged: t.Boolean({
      description: 'true: connected by the organization, and disabled when it leaves the organization',
    }),
  },
  { description: "the account's entry in its organization; omitted if it does not belong to a connected organization" },
)

export const showOrganization = ({ organization, organizationState: state, membership }: Row) => ({
  ...(organization && {
    organization: {
      ...organization,
      listedAccounts: state?.listed ?? 0,
      lastListedAt: state?.at ?? null,
      ...(state?.message && { message: state.message }),
    },
  }),
  ...(membership && { membership: shownMembership(membership) }),
})

const shownMembership = ({ managedBy, path, tags, status, isManaged }: NonNullable<Row['membership']>) => ({
  managedBy,
  path,
  tags,
  status,
  isManaged,
})

/** @throws Fault `invalid` if organizations of its cloud cannot be followed, or it has no credentials for that */
export function checkOrganization(
  account: AccountIdentity & { credentials: unknown },
  organization: Static<typeof CloudOrganization> | null | undefined,
  { cloudOf }: Pick<Services, 'cloudOf'>,
): void {
  if (!organization) return
  const refuse = (name: string, message: string): never => {
    throw badInput({ in: 'body', name, code: 'value', message })
  }
  if (account.credentials === null || cloudOf(account).organization === undefined)
    refuse('/organization', 'must be omitted: organizations can only be followed for accounts with credentials')
  const hasParent = organization.parent !== undefined
  if (account.provider === 'gcp' && !hasParent)
    refuse('/organization/parent', 'must name the folder or organization: folders/ID or organizations/ID')
  if (account.provider !== 'gcp' && hasParent)
    refuse('/organization/parent', 'must be omitted: it applies to Google Cloud only')
}

const PlannedAccount = t.Object({ externalID: t.String(), name: t.String(), path: t.String() })
const Preview = t.Object(
  {
    connect: t.Array(PlannedAccount),
    enable: t.Array(PlannedAccount),
    disable: t.Array(PlannedAccount),
    update: t.Array(PlannedAccount, { description: 'will be connected by another role' }),
    left: t.Array(
      t.Object({
        ...PlannedAccount.properties,
        reason: t.Enum(leftReasons, {
          description:
            'own: connected by a user; suspended, excluded; management: the management account, which StackSets do not reach; ' +
            'disabled, disconnected: by a user; limit: the maximum number of accounts is connected',
        }),
      }),
    ),
    unchanged: t.Integer({ description: 'connected accounts that remain connected' }),
    listedAccounts: t.Integer(),
  },
  {
    title: 'OrganizationPreview',
    examples: [
      {
        connect: [{ externalID: '210987654321', name: 'Payments', path: '/Production' }],
        enable: [],
        disable: [],
        update: [],
        left: [{ externalID: '345678901234', name: 'Sandbox', path: '/Sandbox', reason: 'excluded' }],
        unchanged: 40,
        listedAccounts: 42,
      },
    ],
  },
)

async function preview(row: Row, given: Static<typeof CloudOrganization> | undefined, services: Services) {
  const organization = given ?? row.organization
  if (!organization) throw noOrganization()
  const manager = managerOf(row, organization, services)
  const listing = await listOrganization(manager, needsTags(organization))
  const plan = planListing(manager, listing, await accountsSeen(services.em, row.orgId))
  const of = (action: PlannedAction['action']) =>
    plan.actions
      .filter((one) => one.action === action)
      .map(({ externalId, membership: { name, path } }) => ({ externalID: externalId, name, path }))
  return {
    connect: of('connect'),
    enable: of('enable'),
    disable: of('disable'),
    update: of('update'),
    left: plan.left.map(({ externalId, ...rest }) => ({ externalID: externalId, ...rest })),
    unchanged: plan.unchanged,
    listedAccounts: listing.accounts.length,
  }
}

const noOrganization = () =>
  Fault.refused(
    'no_organization',
    'No organization is connected through this account. Set organization with PATCH first.',
  )

const readReply = actorReply(t.Object({ runId: t.String() }))
const routeBase = { tags: ['Cloud accounts'] } as const
const params = t.Object({ cloudAccountID: t.String() })

export const organizationRoutes: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/cloud-accounts/:cloudAccountID/organization/preview',
    summary: 'Preview which accounts following the organization would connect, enable and disable; nothing is changed',
    description:
      'Lists the organization now. Uses organization from the body if given, otherwise the setting of the account. Reads ' +
      'tags only if include or exclude names some, with one call per account.',
    permission: 'space.update',
    readOnly: true,
    unscoped: true,
    params,
    body: t.Object(
      { organization: t.Optional(CloudOrganization) },
      { examples: [{ organization: { roleName: 'tidemark' } }] },
    ),
    reply: Preview,
    refuses: { 422: ['capability_missing', 'no_organization'] },
    handle: async ({ caller, params: { cloudAccountID }, body }, services) =>
      preview(await getAccount(services.em, caller.orgId, cloudAccountID), body.organization, services),
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/cloud-accounts/:cloudAccountID/organization/sync',
    summary: 'List the organization of this account now and connect, enable and disable its accounts',
    description:
      'Runs automatically every hour. Responds immediately; organization.lastListedAt of the account shows when the listing ' +
      'has finished. If a listing is already running, its ID is returned.',
    permission: 'space.update',
    unscoped: true,
    status: 202,
    params,
    reply: t.Object({ runID: t.String(), status: t.Literal('queued') }),
    example: { runID: '5e9e6679-7425-80de-944b-e07fc1f90ae7', status: 'queued' },
    refuses: { 422: ['no_organization'] },
    handle: async ({ caller, params: { cloudAccountID } }, { em, ask, newId }) => {
      const { organization } = await getAccount(em, caller.orgId, cloudAccountID)
      if (!organization) throw noOrganization()
      const { runId } = readReply(await ask(jobRequested, { job: 'organization-sync', runId: newId() }))
      return { runID: runId, status: 'queued' as const }
    },
  }),
]
