/** Organizations of accounts: what a look at one would change, and a look now. */
import { accountsSeen } from '#actors/account/queries.ts'
import type { CloudAccount as Row } from '#actors/account/entity.ts'
import { needsTags } from '#actors/account/organization/filter.ts'
import { listOrganization, managerOf, planned } from '#actors/account/organization/look.ts'
import { leftReasons, type PlannedAction } from '#actors/account/organization/plan.ts'
import { Fault } from '#engine/fault.ts'
import { t, type Static } from '#engine/schema.ts'
import { found } from '#http/account/found.ts'
import { actorReply } from '#http/edge/decode.ts'
import { orNull, Timestamp } from '#http/edge/field.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { memberStatuses, Organization } from '#streams/account/organization.ts'
import type { Placed } from '#streams/cloud/index.ts'
import { jobRequested } from '#streams/job.ts'

export const ShownOrganization = t.Object(
  {
    ...Organization.properties,
    listedAccounts: t.Integer({ description: 'accounts that the organization listed last' }),
    lastListedAt: orNull(Timestamp),
    message: t.Optional(t.String({ description: 'why it could not be listed, or what of it could not be read' })),
  },
  { description: 'how the members of its organization are connected; left out where the account alone is' },
)

export const ShownMembership = t.Object(
  {
    managedBy: t.String({ description: 'the account that the organization is connected by' }),
    path: t.String({ description: 'organizational units from the root on' }),
    tags: t.Record(t.String(), t.String(), { description: 'of the account, as its organization has them' }),
    status: t.Enum(memberStatuses),
    isManaged: t.Boolean({ description: 'true: connected by the organization, and disabled when it leaves' }),
  },
  { description: 'what its organization says of the account; left out where it belongs to none that is connected' },
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

/** @throws Fault `invalid` where organizations of its cloud cannot be followed, or it has no credentials to do so */
export function checkOrganization(
  account: Placed & { credentials: unknown },
  organization: Static<typeof Organization> | null | undefined,
  { cloudOf }: Pick<Services, 'cloudOf'>,
): void {
  if (!organization) return
  const refuse = (name: string, message: string): never => {
    throw badInput({ in: 'body', name, code: 'value', message })
  }
  if (account.credentials === null || cloudOf(account).organization === undefined)
    refuse('/organization', 'must be left out: only accounts with credentials can have their organization followed')
  const hasParent = organization.parent !== undefined
  if (account.provider === 'gcp' && !hasParent)
    refuse('/organization/parent', 'must name the folder or organization: folders/ID or organizations/ID')
  if (account.provider !== 'gcp' && hasParent)
    refuse('/organization/parent', 'must be left out: only Google Cloud has folders and organizations to name')
}

const Planned = t.Object({ externalID: t.String(), name: t.String(), path: t.String() })
const Preview = t.Object(
  {
    connect: t.Array(Planned),
    enable: t.Array(Planned),
    disable: t.Array(Planned),
    update: t.Array(Planned, { description: 'connected by another role from then on' }),
    left: t.Array(
      t.Object({
        ...Planned.properties,
        reason: t.Enum(leftReasons, {
          description:
            'own: a person connected it; suspended, excluded; management: the management account, which StackSets do not reach; ' +
            'disabled, disconnected: a person did that; limit: no more accounts can be connected',
        }),
      }),
    ),
    unchanged: t.Integer({ description: 'accounts that are connected and stay so' }),
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

async function preview(row: Row, given: Static<typeof Organization> | undefined, services: Services) {
  const organization = given ?? row.organization
  if (!organization) throw noOrganization()
  const manager = managerOf(row, organization, services)
  const listing = await listOrganization(manager, needsTags(organization))
  const plan = planned(manager, listing, await accountsSeen(services.em, row.orgId))
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
  Fault.refused('no_organization', 'No organization is connected by this account: PATCH it with organization first.')

const started = actorReply(t.Object({ runId: t.String() }))
const fixed = { tags: ['Cloud accounts'] } as const
const params = t.Object({ cloudAccountID: t.String() })

export const organizationRoutes: readonly Route[] = [
  route({
    ...fixed,
    method: 'POST',
    path: '/cloud-accounts/:cloudAccountID/organization/preview',
    summary: 'What following the organization of this account would connect, enable and disable; nothing is changed',
    description:
      'Lists the organization now. With organization in the body as if that were set; without it, by what the account has. ' +
      'Tags are read only where include or exclude names some: one call for each account.',
    permission: 'space.update',
    readOnly: true,
    unscoped: true,
    params,
    body: t.Object(
      { organization: t.Optional(Organization) },
      { examples: [{ organization: { roleName: 'tidemark' } }] },
    ),
    reply: Preview,
    refuses: { 422: ['capability_missing', 'no_organization'] },
    handle: async ({ caller, params: { cloudAccountID }, body }, services) =>
      preview(await found(services.em, caller.orgId, cloudAccountID), body.organization, services),
  }),

  route({
    ...fixed,
    method: 'POST',
    path: '/cloud-accounts/:cloudAccountID/organization/sync',
    summary: 'List the organization of this account now, and connect, enable and disable its accounts',
    description:
      'Happens by itself every hour. Answers at once; organization.lastListedAt of the account shows when it is done. While one ' +
      'goes on, its id is answered.',
    permission: 'space.update',
    unscoped: true,
    status: 202,
    params,
    reply: t.Object({ runID: t.String(), status: t.Literal('queued') }),
    example: { runID: '5e9e6679-7425-80de-944b-e07fc1f90ae7', status: 'queued' },
    refuses: { 422: ['no_organization'] },
    handle: async ({ caller, params: { cloudAccountID } }, { em, ask, newId }) => {
      const { organization } = await found(em, caller.orgId, cloudAccountID)
      if (!organization) throw noOrganization()
      const { runId } = started(await ask(jobRequested, { job: 'organization-sync', runId: newId() }))
      return { runID: runId, status: 'queued' as const }
    },
  }),
]
