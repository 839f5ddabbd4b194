import { t, type Static } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import { Organization, organizationMessages } from '#streams/account/organization.ts'
import { providers } from '#streams/names.ts'
import { text } from '#streams/text.ts'

/** Where the bills of an account are. `acceptShrink`: a bill of it replaces the one before also where it is far less. */
export const BillingExport = t.Object({ kind: text(), location: text(), acceptShrink: t.Optional(t.Boolean()) })
export type BillingExport = Static<typeof BillingExport>

/** Command: connect a cloud account. `credentials` are already sealed. Refused `already_exists` when it is connected. */
export const accountConnected = subject({
  name: 'account.connected',
  kind: 'actor',
  summary: 'Connect a cloud account.',
  place: (data) => data.id,
  once: true,
  schema: t.Object({
    id: text({ minLength: 1 }),
    name: text({ minLength: 1 }),
    provider: t.Enum(providers),
    externalId: text({ minLength: 1 }),
    credentials: t.Union([t.String(), t.Null()]),
    regions: t.Array(text()),
    billingExport: t.Union([BillingExport, t.Null()]),
    /** Its members are connected too. */
    organization: t.Optional(Organization),
  }),
  examples: [
    {
      id: 'acct-1',
      name: 'Production',
      provider: 'aws',
      externalId: '123456789012',
      credentials: null,
      regions: [],
      billingExport: null,
    },
  ],
})

/** Command: change what a person may change of an account. A field left out stays. */
export const accountPatched = subject({
  name: 'account.patched',
  kind: 'actor',
  summary: 'Change a connected cloud account.',
  place: (data) => data.id,
  once: true,
  schema: t.Object({
    id: text({ minLength: 1 }),
    name: t.Optional(text({ minLength: 1 })),
    credentials: t.Optional(t.String()),
    regions: t.Optional(t.Array(text())),
    billingExport: t.Optional(t.Union([BillingExport, t.Null()])),
    enabled: t.Optional(t.Boolean()),
    /** Null: its members are followed no more; they stay as they are. */
    organization: t.Optional(t.Union([Organization, t.Null()])),
    /** The bills are somewhere else now: all months are read from there. */
    history: t.Optional(t.Boolean()),
  }),
  examples: [
    { id: 'acct-1', name: 'Production EU' },
    { id: 'acct-1', billingExport: { kind: 'cur', location: 's3://bills/production', acceptShrink: true } },
  ],
})

/** What the connector answered when it was asked whether the credentials work. */
export const accountVerified = subject({
  name: 'account.verified',
  kind: 'actor',
  summary: 'The result of verifying the credentials of an account.',
  place: (data) => data.id,
  once: true,
  schema: t.Object({
    id: text({ minLength: 1 }),
    verdict: t.Enum(['unknown', 'none', 'read_only', 'read_write']),
    missingPermissions: t.Array(text()),
    message: t.Union([text(), t.Null()]),
    /** True where nothing is asked of the account: it is what producers send. */
    isFed: t.Optional(t.Boolean()),
  }),
  examples: [{ id: 'acct-1', verdict: 'read_write', missingPermissions: [], message: null }],
})

/** Command: stop every sync of the account and take it and its resources out of the inventory; its costs stay. */
export const accountRemoved = subject({
  name: 'account.removed',
  kind: 'actor',
  summary: 'Disconnect a cloud account.',
  place: (data) => data.id,
  once: true,
  schema: t.Object({ id: text({ minLength: 1 }) }),
  examples: [{ id: 'acct-1' }],
})

/** Command: keep the same credentials sealed anew, unless others were given meanwhile. Nothing that a person sees changes. */
export const accountResealed = subject({
  name: 'account.resealed',
  kind: 'actor',
  summary: 'Encrypt the credentials of an account with another key.',
  place: (data) => data.id,
  once: true,
  schema: t.Object({ id: text({ minLength: 1 }), was: t.String(), sealed: t.String() }),
  examples: [{ id: 'acct-1', was: 's1.0f1e2d3c4b5a.c2VhbGVk', sealed: 's1.a5b4c3d2e1f0.c2VhbGVk' }],
})

/**
 * The cloud has refused the credentials of the account in the middle of something else than a check. Its time is that at
 * which they were shown.
 */
export const accountRefused = subject({
  name: 'account.refused',
  kind: 'actor',
  summary: 'A cloud rejected the credentials of an account.',
  place: (data) => data.id,
  schema: t.Object({ id: text({ minLength: 1 }), message: text() }),
  examples: [{ id: 'acct-1', message: 'The credentials have expired.' }],
})

/** From an account whose credentials are refused to one of its resources: it cannot be seen, until a scan sees it again. */
export const accountBlinded = subject({
  name: 'account.blinded',
  kind: 'actor',
  summary: 'The account of a resource cannot be read.',
  place: (data) => data.id,
  schema: t.Object({ id: text({ minLength: 1 }), resourceUid: text({ minLength: 1, maxLength: 1024 }) }),
  examples: [{ id: 'acct-1', resourceUid: 'i-1' }],
})

/** Reminder of an account whose credentials are refused: the resources behind this uid are still to be told. */
export const accountBlinding = subject({
  name: 'account.blinding',
  kind: 'actor',
  summary: 'The accounts of several resources cannot be read.',
  place: (data) => data.id,
  schema: t.Object({ id: text({ minLength: 1 }), after: text({ maxLength: 1024 }) }),
  examples: [{ id: 'acct-1', after: 'i-1' }],
})

export const accountMessages = [
  accountConnected,
  accountPatched,
  accountVerified,
  accountRemoved,
  accountResealed,
  accountRefused,
  accountBlinded,
  accountBlinding,
  ...organizationMessages,
]
