/** Messages of scans that refresh an organization's inventory. */
import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { ProviderGiven, providers } from '#streams/names.ts'
import { text } from '#streams/text.ts'

const Word = text({ minLength: 1, maxLength: 1024 })

/** The part of an account that a scan has covered: resources of these types, in these regions, with these parents. */
export const ScanCoverage = t.Object({
  types: t.Array(Word, { maxItems: 500, description: 'resource types; empty: all' }),
  regions: t.Array(text({ maxLength: 64 }), { maxItems: 500, description: 'regions; empty: all' }),
  outsideOf: t.Optional(
    t.Array(text({ maxLength: 64 }), {
      maxItems: 500,
      description: 'all regions except these; the account no longer covers the others, so nothing was found there',
    }),
  ),
  parents: t.Optional(t.Array(Word, { maxItems: 10_000, description: 'UIDs of their parents; default or empty: any' })),
})
export type ScanCoverage = Static<typeof ScanCoverage>

/** A scan that looks only at what the scan before could not read. */
export const Rescan = t.Object({
  types: t.Array(Word, { minItems: 1, maxItems: 500, description: 'resource types' }),
  attempt: t.Integer({ minimum: 1, description: '1 is the first after the scan that lost them' }),
})
export type Rescan = Static<typeof Rescan>

/**
 * The progress of an account's scan. `running` starts it; `completed` ends it: resources of the account that were known
 * before the scan, are within `seen` and were not found are then deleted. `failed` ends it and deletes nothing.
 */
export const refreshProgress = subject({
  name: 'refresh.progress',
  kind: 'control',
  summary: 'A scan of one cloud account starts, progresses or ends.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({
    refreshId: text({ minLength: 1, maxLength: 128 }),
    provider: ProviderGiven,
    cloudAccountId: text({ minLength: 1, maxLength: 1024 }),
    status: t.Enum(['running', 'completed', 'failed']),
    discovered: t.Integer({ minimum: 0, description: 'resources found so far' }),
    message: t.Optional(text()),
    /** False if the scan covers only a part of the account: then nothing is deleted at its end. */
    complete: t.Optional(t.Boolean()),
    /** Left out: everything was covered. */
    seen: t.Optional(t.Array(ScanCoverage, { minItems: 1, maxItems: 5000 })),
    missingPermissions: t.Optional(
      t.Array(Word, { maxItems: 1000, description: 'permissions that the cloud denied, by their names in the cloud' }),
    ),
    lostTypes: t.Optional(
      t.Array(Word, {
        maxItems: 500,
        description: 'types that could not be read for now: they are scanned again soon',
      }),
    ),
    rescan: t.Optional(Rescan),
  }),
  examples: [
    {
      refreshId: 'refresh-2',
      provider: 'aws',
      cloudAccountId: 'acct-1',
      status: 'completed',
      discovered: 12,
      seen: [{ types: ['aws-ec2', 'aws-ebs-volume'], regions: ['eu-west-1'] }],
      message: 'us-east-1 could not be discovered: the cloud did not respond.',
    },
    { refreshId: 'refresh-1', provider: 'aws', cloudAccountId: 'acct-1', status: 'running', discovered: 0 },
    { refreshId: 'refresh-1', provider: 'aws', cloudAccountId: 'acct-1', status: 'completed', discovered: 42 },
  ],
})

const Target = t.Object({ cloudAccountId: text(), provider: t.Enum(providers), rescan: t.Optional(Rescan) })

/** Command: start a refresh of these accounts. Replies `{ refreshID, status }`. */
export const refreshRequested = subject({
  name: 'refresh.requested',
  kind: 'actor',
  summary: 'Start a discovery refresh of an organization.',
  place: () => orgWide,
  once: true,
  schema: t.Object({ refreshId: text(), accounts: t.Array(Target) }),
  examples: [{ refreshId: 'refresh-1', accounts: [{ cloudAccountId: 'acct-1', provider: 'aws' }] }],
})

/** Command: stop the running refresh after the current provider. */
export const refreshCancelled = subject({
  name: 'refresh.cancelled',
  kind: 'actor',
  summary: 'Stop the running refresh of an organization.',
  place: () => orgWide,
  once: true,
  schema: t.Object({}),
  examples: [{}],
})

/** From the account actor to its organization's refresh: the result of the account's scan. */
export const accountScanned = subject({
  name: 'refresh.account_scanned',
  kind: 'actor',
  summary: 'Progress of one account within a refresh.',
  place: () => orgWide,
  once: true,
  schema: t.Object({
    refreshId: text(),
    cloudAccountId: text(),
    status: t.Enum(['running', 'completed', 'failed']),
    discovered: t.Integer({ minimum: 0 }),
    at: t.String({ format: 'date-time' }),
    message: t.Optional(text()),
  }),
  examples: [
    {
      refreshId: 'refresh-1',
      cloudAccountId: 'acct-1',
      status: 'completed',
      discovered: 42,
      at: '2026-01-15T10:00:00.000Z',
    },
  ],
})

/** From an account to itself, after the deletions of its scan: only then has the scan ended. */
export const scanEnded = subject({
  name: 'refresh.scan_ended',
  kind: 'actor',
  summary: 'A scan of an account ended, including its deletions.',
  place: (data) => data.cloudAccountId,
  once: true,
  schema: accountScanned.schema,
  examples: accountScanned.examples,
})

/** Reminder: no progress of the refresh for ten minutes. */
export const refreshStalled = subject({
  name: 'refresh.stalled',
  kind: 'actor',
  summary: 'A refresh has made no progress for ten minutes.',
  place: () => orgWide,
  schema: t.Object({ refreshId: text() }),
  examples: [{ refreshId: 'refresh-1' }],
})

export const refreshMessages = [
  refreshProgress,
  refreshRequested,
  refreshCancelled,
  accountScanned,
  scanEnded,
  refreshStalled,
]
