/** Messages of connected cloud accounts: commands, results of credential checks, and reminders. */
import { t, type Static } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import { CloudOrganization, organizationMessages } from '#streams/account/organization.ts'
import { providers } from '#streams/names.ts'
import { Rescan } from '#streams/refresh.ts'
import { text } from '#streams/text.ts'

/**
 * Location of an account's bills. `acceptShrink`: a new bill is accepted even if it is much smaller than the current
 * one.
 */
export const BillingExport = t.Object({ kind: text(), location: text(), acceptShrink: t.Optional(t.Boolean()) })
export type BillingExport = Static<typeof BillingExport>

/**
 * Command: connect a cloud account. `credentials` are already encrypted. Refused: `already_exists` if it is connected.
 */
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
    /** Connects its members too. */
    organization: t.Optional(CloudOrganization),
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

/** Command: change an account's editable fields. A field that is left out does not change. */
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
    /** Null: stop following the organization. Its accounts stay as they are. */
    organization: t.Optional(t.Union([CloudOrganization, t.Null()])),
    /** The bills have a new location: read all months from there. */
    history: t.Optional(t.Boolean()),
  }),
  examples: [
    { id: 'acct-1', name: 'Production EU' },
    { id: 'acct-1', billingExport: { kind: 'cur', location: 's3://bills/production', acceptShrink: true } },
  ],
})

/** The result of a credential check by the connector. */
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
    /** True if nothing is queried, because producers send the account's data. */
    isFed: t.Optional(t.Boolean()),
  }),
  examples: [{ id: 'acct-1', verdict: 'read_write', missingPermissions: [], message: null }],
})

/** Command: stop every sync of the account and remove it and its resources from the inventory; its costs stay. */
export const accountRemoved = subject({
  name: 'account.removed',
  kind: 'actor',
  summary: 'Disconnect a cloud account.',
  place: (data) => data.id,
  once: true,
  schema: t.Object({ id: text({ minLength: 1 }) }),
  examples: [{ id: 'acct-1' }],
})

/**
 * Command: store the same credentials encrypted with a new key, unless they were replaced meanwhile. Users see no
 * change.
 */
export const accountResealed = subject({
  name: 'account.resealed',
  kind: 'actor',
  summary: 'Encrypt the credentials of an account with another key.',
  place: (data) => data.id,
  once: true,
  schema: t.Object({ id: text({ minLength: 1 }), was: t.String(), sealed: t.String() }),
  examples: [{ id: 'acct-1', was: 's1.0f1e2d3c4b5a.c2VhbGVk', sealed: 's1.a5b4c3d2e1f0.c2VhbGVk' }],
})

/** The cloud has refused the account's credentials outside of a check. The message's time is when they were used. */
export const accountRefused = subject({
  name: 'account.refused',
  kind: 'actor',
  summary: 'A cloud rejected the credentials of an account.',
  place: (data) => data.id,
  schema: t.Object({ id: text({ minLength: 1 }), message: text() }),
  examples: [{ id: 'acct-1', message: 'The credentials have expired.' }],
})

/**
 * From an account with refused credentials to one of its resources: its state is unknown until a scan finds it again.
 */
export const accountBlinded = subject({
  name: 'account.blinded',
  kind: 'actor',
  summary: 'The account of a resource cannot be read.',
  place: (data) => data.id,
  schema: t.Object({ id: text({ minLength: 1 }), resourceUid: text({ minLength: 1, maxLength: 1024 }) }),
  examples: [{ id: 'acct-1', resourceUid: 'i-1' }],
})

/** Reminder of an account with refused credentials: the resources after this uid still have to be notified. */
export const accountBlinding = subject({
  name: 'account.blinding',
  kind: 'actor',
  summary: 'The accounts of several resources cannot be read.',
  place: (data) => data.id,
  schema: t.Object({ id: text({ minLength: 1 }), after: text({ maxLength: 1024 }) }),
  examples: [{ id: 'acct-1', after: 'i-1' }],
})

/** From the hourly collection of metrics: the account's cloud did not return all of them. */
export const accountMetricsFailed = subject({
  name: 'account.metrics_failed',
  kind: 'actor',
  summary: "Metrics of an account's resources could not be read.",
  place: (data) => data.id,
  schema: t.Object({ id: text({ minLength: 1 }), message: text({ maxLength: 2000 }) }),
  examples: [{ id: 'acct-1', message: 'cloudwatch GetMetricData in eu-west-1: Rate exceeded' }],
})

/** Reminder: types that a scan could not read are looked at again. */
export const accountRescanDue = subject({
  name: 'account.rescan_due',
  kind: 'actor',
  summary: 'Types that a scan of an account could not read are due to be scanned again.',
  place: (data) => data.id,
  schema: t.Object({ id: text({ minLength: 1 }), rescan: Rescan }),
  examples: [{ id: 'acct-1', rescan: { types: ['aws-rds'], attempt: 1 } }],
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
  accountMetricsFailed,
  accountRescanDue,
  ...organizationMessages,
]
