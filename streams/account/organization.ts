/** Organizations of accounts: connected once by one of the accounts, then followed account by account. */
import { t, type Static } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import { providers } from '#streams/names.ts'
import { text } from '#streams/text.ts'

const Path = text({
  minLength: 1,
  maxLength: 1024,
  description: 'an organizational unit and everything below it: /Production',
})

export const AccountFilter = t.Object({
  paths: t.Optional(t.Array(Path, { minItems: 1, maxItems: 100 })),
  tags: t.Optional(
    t.Record(t.String(), t.Array(text({ maxLength: 256 }), { maxItems: 100 }), {
      maxProperties: 50,
      description: 'allowed values by tag key; an empty list matches any value',
    }),
  ),
  pattern: t.Optional(
    text({
      minLength: 1,
      maxLength: 256,
      description: 'account name or ID; * matches any text, ? matches one character',
    }),
  ),
})
export type AccountFilter = Static<typeof AccountFilter>

/** How the members of an organization are connected. */
export const CloudOrganization = t.Object({
  roleName: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 64,
      pattern: '^[\\w+=,.@-]+$',
      description:
        'AWS only: role in each member account, as created by tidemark account policy aws --organization; default tidemark',
    }),
  ),
  parent: t.Optional(
    t.String({
      pattern: '^(folders|organizations)/\\d{1,20}$',
      maxLength: 34,
      description:
        'Google Cloud only, required: folder or organization whose projects are connected, as folders/ID or organizations/ID',
    }),
  ),
  include: t.Optional(AccountFilter),
  exclude: t.Optional(AccountFilter),
})
export type CloudOrganization = Static<typeof CloudOrganization>

export const roleNameOf = ({ roleName = 'tidemark' }: CloudOrganization): string => roleName

export const memberStatuses = ['active', 'suspended', 'left'] as const

/** What an organization says of one of its accounts. */
export const Membership = t.Object({
  /** The account that the organization is connected by. */
  managedBy: t.String(),
  /** Its name there. */
  name: t.String(),
  /** Its organizational units from the root on: `/Production/Payments`; `/` is the root itself. */
  path: t.String(),
  tags: t.Record(t.String(), t.String()),
  status: t.Enum(memberStatuses),
  /** Whether the organization connected it, rather than a person. */
  isManaged: t.Boolean(),
  /** Whether it is disabled because the organization suspended or lost it. */
  isDisabled: t.Boolean(),
  /** The role by which it is connected, or a fingerprint of shared credentials; empty where a person connected it. */
  roleName: t.String(),
})
export type Membership = Static<typeof Membership>

/** What becomes of an account that its organization lists, or lists no more. */
const memberActions = ['connect', 'enable', 'disable', 'update', 'note'] as const
export type MemberAction = (typeof memberActions)[number]

/**
 * Command: what the organization says of the account now, and what follows. Does nothing where a person has connected,
 * disabled or disconnected the account, apart from keeping the membership.
 */
export const accountListed = subject({
  name: 'account.listed',
  kind: 'actor',
  summary: 'What the organization of an account reports about it.',
  place: (data) => data.id,
  once: true,
  schema: t.Object({
    id: text({ minLength: 1 }),
    provider: t.Enum(providers),
    externalId: text({ minLength: 1 }),
    action: t.Enum(memberActions),
    /** Sealed; null where the action needs none. */
    credentials: t.Union([t.String(), t.Null()]),
    regions: t.Array(text()),
    membership: Membership,
  }),
  examples: [
    {
      id: 'acct-2',
      provider: 'aws',
      externalId: '210987654321',
      action: 'connect',
      credentials: null,
      regions: [],
      membership: {
        managedBy: 'acct-1',
        name: 'Payments',
        path: '/Production',
        tags: { env: 'prod' },
        status: 'active',
        isManaged: true,
        isDisabled: false,
        roleName: 'tidemark',
      },
    },
  ],
})

/** What the last look at an organization came to. */
export const OrganizationState = t.Object({
  /** ISO 8601. */
  at: t.String({ format: 'date-time' }),
  /** Accounts that it listed; of the look before where this one failed. */
  listed: t.Integer({ minimum: 0 }),
  message: t.Union([t.String(), t.Null()]),
})
export type OrganizationState = Static<typeof OrganizationState>

export const organizationSynced = subject({
  name: 'account.organization_synced',
  kind: 'actor',
  summary: 'The accounts of an organization were listed, or listing them failed.',
  place: (data) => data.id,
  once: true,
  schema: t.Object({ id: text({ minLength: 1 }), ...OrganizationState.properties }),
  examples: [{ id: 'acct-1', at: '2026-01-15T10:00:00.000Z', listed: 42, message: null }],
})

export const organizationMessages = [accountListed, organizationSynced]
