/** Organizations of cloud accounts: connected through one of their accounts, then synchronized account by account. */
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

/** How an organization's member accounts are connected. */
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

/** What an organization reports about one of its accounts. */
export const Membership = t.Object({
  /** The account through which the organization is connected. */
  managedBy: t.String(),
  /** The account's name in the organization. */
  name: t.String(),
  /** Path of organizational units: `/Production/Payments`; `/` is the root itself. */
  path: t.String(),
  tags: t.Record(t.String(), t.String()),
  status: t.Enum(memberStatuses),
  /** True if the organization connected the account, false if a person did. */
  isManaged: t.Boolean(),
  /** True if the account is disabled because the organization suspended it or it left the organization. */
  isDisabled: t.Boolean(),
  /** The role used to connect it, or a fingerprint of shared credentials; empty if a person connected it. */
  roleName: t.String(),
})
export type Membership = Static<typeof Membership>

/** What to do with an account that the organization lists or no longer lists. */
const memberActions = ['connect', 'enable', 'disable', 'update', 'note'] as const
export type MemberAction = (typeof memberActions)[number]

/**
 * Command: apply what the organization reports about the account. If a person has connected, disabled or disconnected
 * the account, only the membership is stored.
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
    /** Encrypted; null if the action needs none. */
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

/** Result of the last synchronization of an organization. */
export const OrganizationState = t.Object({
  /** ISO 8601. */
  at: t.String({ format: 'date-time' }),
  /** Number of accounts listed; after a failure, that of the previous synchronization. */
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
