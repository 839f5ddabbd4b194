/** Tags that are predicted or derived, and decided by people: only for the sums of costs, never written to a cloud. */
import { t } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { ResourceUid } from '#streams/attribution.ts'
import { providers } from '#streams/names.ts'
import { Tags } from '#streams/resource/messages.ts'
import { text } from '#streams/text.ts'

export const environments = ['prod', 'staging', 'dev'] as const
export type Environment = (typeof environments)[number]

const account = text({ minLength: 1, maxLength: 1024 })
const actor = { kind: 'actor', place: (data: { cloudAccountId: string }) => data.cloudAccountId } as const
const ofOrganization = { kind: 'actor', place: () => orgWide } as const

/** The facts that tags are predicted and derived from. */
export const TagFacts = t.Object({
  name: text(),
  type: text(),
  provider: t.Enum(providers),
  region: text(),
  instanceType: text(),
  /** In lower case; empty except for Azure's. */
  resourceGroup: text(),
  /** Empty if unknown. */
  network: text(),
  parentUid: text(),
  tags: Tags,
})

/**
 * To the tags of one resource: check the sources of its predictions again. With `found`, the inventory row since
 * `observedAt`, tags are derived again too; an older row than the known one is ignored.
 */
export const tagLook = subject({
  ...actor,
  name: 'tag.look',
  summary: 'Recompute the predicted and derived tags of a resource.',
  schema: t.Object({
    cloudAccountId: account,
    resourceUid: ResourceUid,
    found: t.Optional(t.Object({ facts: TagFacts, observedAt: t.String({ format: 'date-time' }) })),
  }),
  examples: [
    { cloudAccountId: 'acct-1', resourceUid: 'i-1' },
    {
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      found: {
        facts: {
          name: 'shop-prod-web-1',
          type: 'aws-ec2',
          provider: 'aws',
          region: 'us-east-1',
          instanceType: 'm5.large',
          resourceGroup: '',
          network: '',
          parentUid: '',
          tags: { env: 'prod' },
        },
        observedAt: '2026-01-15T10:00:00.000Z',
      },
    },
  ],
})

const decisionFields = {
  cloudAccountId: account,
  resourceUid: ResourceUid,
  /** The id of the person who decides. */
  userId: text({ maxLength: 256 }),
}

/**
 * Command: decide a pending suggestion. Replies with the suggestion. Flags that are false first remove the part they
 * are for.
 */
export const suggestionDecided = subject({
  ...actor,
  name: 'suggestion.decided',
  summary: 'Accept or reject the predicted tags of a resource.',
  once: true,
  schema: t.Object({
    ...decisionFields,
    status: t.Enum(['accepted', 'rejected']),
    acceptEnv: t.Optional(t.Boolean()),
    acceptNoStop: t.Optional(t.Boolean()),
    acceptOwner: t.Optional(t.Boolean()),
  }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1', userId: 'u-1', status: 'accepted', acceptNoStop: false }],
})

/** Maximum derived tags of one resource; older policies win. */
export const derivedMax = 50

/**
 * Command: accept derived tags of a resource, or revoke accepted ones: those of `keys`, or with `all` every pending
 * one. Replies with the entry. With `quiet`, keys that cannot be decided are skipped instead of refused.
 */
export const smartTagDecided = subject({
  ...actor,
  name: 'smart_tag.decided',
  summary: 'Accept or revoke derived tags of a resource.',
  once: true,
  schema: t.Object({
    ...decisionFields,
    accepted: t.Boolean(),
    keys: t.Array(text({ minLength: 1, maxLength: 128 }), { maxItems: derivedMax }),
    all: t.Optional(t.Boolean()),
    quiet: t.Optional(t.Boolean()),
  }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1', userId: 'u-1', accepted: true, keys: ['owner'] }],
})

/**
 * The purpose of a run over the tags of an organization: `sweep` re-evaluates resources whose tags are missing or from
 * older policies, or with `whole` all of them; `accept` accepts the pending tags of a policy or a key.
 */
export const TagRunWanted = t.Union([
  t.Object({ kind: t.Literal('sweep'), whole: t.Boolean() }),
  t.Object({
    kind: t.Literal('accept'),
    policyId: t.Optional(text({ maxLength: 64 })),
    key: t.Optional(text({ maxLength: 128 })),
    /** As in a policy. */
    selector: t.Optional(t.Unknown()),
    userId: text({ maxLength: 256 }),
  }),
])

/** Command: run over the tags of the organization. Replies `{ runId, status }`: for a sweep in progress, its own. */
export const tagRunWanted = subject({
  ...ofOrganization,
  name: 'tag_run.wanted',
  summary: 'Re-evaluate the tags of an organization, or accept many.',
  once: true,
  schema: t.Object({ runId: text({ minLength: 1, maxLength: 128 }), wanted: TagRunWanted }),
  examples: [
    { runId: 'run-1', wanted: { kind: 'sweep', whole: true } },
    { runId: 'run-2', wanted: { kind: 'accept', key: 'owner', userId: 'u-1' } },
  ],
})

/** A run has sent all its messages. */
export const tagRunEnded = subject({
  ...ofOrganization,
  name: 'tag_run.ended',
  summary: 'A tagging run of an organization ended.',
  schema: t.Object({
    kind: t.Enum(['sweep', 'accept']),
    runId: text({ minLength: 1, maxLength: 128 }),
    resources: t.Integer({ minimum: 0, description: 'resources processed' }),
    failure: t.Optional(text()),
  }),
  examples: [{ kind: 'sweep', runId: 'run-1', resources: 120 }],
})

export const taggingMessages = [tagLook, suggestionDecided, smartTagDecided, tagRunWanted, tagRunEnded]
