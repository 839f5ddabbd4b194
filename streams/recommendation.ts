/** Findings of rules over what is known of a resource, and what people make of them. */
import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { ResourceUid } from '#streams/attribution.ts'
import { environments } from '#streams/tagging.ts'
import { text } from '#streams/text.ts'

export const categories = ['idle', 'rightsizing', 'schedule', 'orphan', 'compliance', 'discount', 'governance'] as const
export type Category = (typeof categories)[number]

/** The least serious first: the place is the rank. */
export const severities = ['info', 'low', 'medium', 'high', 'critical'] as const
export type Severity = (typeof severities)[number]
export const severityRank = (severity: Severity): number => severities.indexOf(severity)

export const recommendationStatuses = ['open', 'applied', 'dismissed', 'optimised', 'rule_retired'] as const
export type RecommendationStatus = (typeof recommendationStatuses)[number]

export const actionTypes = [
  'stop',
  'pause',
  'schedule',
  'delete',
  'resize',
  'change_type',
  'modify',
  'configure',
  'upgrade',
  'purchase',
  'tag',
  'none',
] as const
export type ActionType = (typeof actionTypes)[number]

/** How much carrying it out disturbs, the least first. */
export const effects = ['none', 'online', 'restart', 'outage', 'data_loss', 'irreversible'] as const
export type DisturbanceKind = (typeof effects)[number]

const account = text({ minLength: 1, maxLength: 1024 })
const moment = t.String({ format: 'date-time' })
const usd = t.Number()
const actor = { kind: 'actor', place: (data: { cloudAccountId: string }) => data.cloudAccountId } as const

/** What is known of a resource, by path of the rule language. A path that is not there is unknown; null is known to be empty. */
export const FactValues = t.Record(t.String(), t.Unknown())
export type FactValues = Record<string, unknown>

/** How well the metrics of a resource were measured, by name: days with samples of the last 90, and the usual step between two. */
export const Measured = t.Record(
  t.String(),
  t.Object({
    days: t.Integer({ minimum: 0 }),
    stepSeconds: t.Integer({ minimum: 0 }),
    /** Share of the buckets that were sampled, 0 to 1, by window (`14d`). */
    coverage: t.Record(t.String(), t.Number()),
  }),
)
export type Measured = Static<typeof Measured>

/**
 * To the audit of one resource: what a sweep gathered of it beside its inventory row, all of it anew. A path that is left out is
 * unknown now; `at` is the sweep's time: of two the newer counts.
 */
export const factsGathered = subject({
  ...actor,
  name: 'facts.gathered',
  summary: 'Additional facts about a resource: metrics, bill, history, relations.',
  schema: t.Object({
    cloudAccountId: account,
    resourceUid: ResourceUid,
    runId: text({ maxLength: 256 }),
    at: moment,
    /** metric.*, bill.*, hist.*, rel.*, and those res.* that only a sweep knows. */
    facts: FactValues,
    measured: Measured,
    /** What the inventory has of it, for an audit that has not heard that; an older observation than it knows says nothing. */
    found: t.Optional(
      t.Object({
        resource: t.Record(t.String(), t.Unknown()),
        specs: FactValues,
        observedAt: moment,
        firstSeenAt: moment,
        /** The environment that people accepted; empty for none. */
        env: t.Optional(t.Enum([...environments, ''])),
      }),
    ),
    /** Since when the resource is there by any evidence; absent where nothing says. */
    bornAt: t.Optional(moment),
    /** What the organization spent in the last 30 days; null while nothing was billed. */
    orgSpendUsd: t.Union([t.Number(), t.Null()]),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      runId: 'run-1',
      at: '2026-01-15T04:45:00.000Z',
      facts: { 'metric.cpu_percent.p99.14d': 3.2, 'bill.cost_30d': 276.48, 'res.managed': false },
      measured: { cpu_percent: { days: 14, stepSeconds: 3600, coverage: { '14d': 1 } } },
      bornAt: '2024-05-01T00:00:00.000Z',
      orgSpendUsd: 20_000,
    },
  ],
})

/** From the tags of a resource to its audit: the environment that people accepted for it is another one; empty for none. */
export const envSettled = subject({
  ...actor,
  name: 'env.settled',
  summary: 'The accepted environment of a resource changed.',
  schema: t.Object({
    cloudAccountId: account,
    resourceUid: ResourceUid,
    env: t.Enum([...environments, '']),
  }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1', env: 'dev' }],
})

/** A sweep has told all it had to tell of the account: said behind it, and again behind what followed from it. */
export const sweepEnded = subject({
  ...actor,
  name: 'sweep.ended',
  summary: 'A sweep has sent all facts about an account.',
  schema: t.Object({ cloudAccountId: account, runId: text({ maxLength: 256 }), isBehindFindings: t.Boolean() }),
  examples: [{ cloudAccountId: 'acct-1', runId: 'run-1', isBehindFindings: false }],
})

/** What a rule finds of a resource: everything a record shows but its state. */
export const Finding = t.Object({
  resourceUid: ResourceUid,
  resourceName: text(),
  resourceType: text(),
  provider: text(),
  region: text(),
  resourceGroup: text(),
  ruleId: text(),
  category: t.Enum(categories),
  severity: t.Enum(severities),
  title: text(),
  titleFrom: text(),
  titleTo: text(),
  description: text(),
  remediation: text(),
  consoleUrl: text(),
  actionType: t.Enum(actionTypes),
  effect: t.Enum(effects),
  destructive: t.Boolean(),
  automation: t.Enum(['executor', 'pause_service', 'api', 'manual']),
  /** US dollars for 30 days, to the cent; `savingsUsd` is net of what other findings of the resource save already. */
  currentCostUsd: usd,
  savingsUsd: usd,
  grossSavingsUsd: usd,
  /** 0.5, 0.75 or 1 (decision G-65). */
  confidence: t.Number(),
  /** 0 to 100: what to do first. */
  priority: t.Integer(),
  evidence: t.Record(t.String(), t.Unknown()),
  specs: t.Record(t.String(), t.String()),
  targetSpec: t.Union([t.Record(t.String(), t.Unknown()), t.Null()]),
  /** US dollars an hour: on demand, and committed for one and three years. */
  tierRates: t.Union([t.Record(t.String(), t.Number()), t.Null()]),
  resourceTags: t.Record(t.String(), t.String()),
  /** The rule that is shown in its place; empty for none. */
  heldBackBy: text(),
})
export type Finding = Static<typeof Finding>

const finding = {
  cloudAccountId: account,
  recommendationId: text({ maxLength: 64 }),
  /** Counts the audit's words: of two the larger counts. */
  n: t.Integer({ minimum: 1 }),
}

/** From the audit of a resource to one recommendation: the rule fires, and this is what it says now. */
export const findingRaised = subject({
  ...actor,
  name: 'finding.raised',
  summary: 'A rule found something, or its finding changed.',
  schema: t.Object({ ...finding, finding: Finding }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      recommendationId: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01',
      n: 1,
      finding: {
        resourceUid: 'i-1',
        resourceName: 'report-legacy-1',
        resourceType: 'aws-ec2',
        provider: 'aws',
        region: 'us-east-1',
        resourceGroup: '',
        ruleId: 'RC-1001',
        category: 'idle' as const,
        severity: 'high' as const,
        title: 'Stop EC2 instance report-legacy-1: no meaningful CPU or network use in 14 days.',
        titleFrom: 'm5.2xlarge',
        titleTo: '',
        description: 'The processor never rose above 5%.',
        remediation: 'Ask the owner, then stop the instance.',
        consoleUrl: 'https://us-east-1.console.aws.amazon.com/ec2/home?region=us-east-1#InstanceDetails:instanceId=i-1',
        actionType: 'stop' as const,
        effect: 'outage' as const,
        destructive: true,
        automation: 'executor' as const,
        currentCostUsd: 276.48,
        savingsUsd: 276.48,
        grossSavingsUsd: 276.48,
        confidence: 1,
        priority: 60,
        evidence: { metric: 'cpu_percent', windowDays: 14, p95: 2.1 },
        specs: { instanceType: 'm5.2xlarge' },
        targetSpec: null,
        tierRates: null,
        resourceTags: { env: 'prod' },
        heldBackBy: '',
      },
    },
  ],
})

/**
 * Why a rule says nothing of a resource any more: it does not fire; the resource is gone; it is not applied any more; for 30
 * days nothing was known of what it reads.
 */
export const findingEnds = ['cleared', 'deleted', 'retired', 'stale'] as const

export const findingEnded = subject({
  ...actor,
  name: 'finding.ended',
  summary: 'A rule no longer finds anything, or is no longer applied.',
  schema: t.Object({ ...finding, why: t.Enum(findingEnds) }),
  examples: [
    { cloudAccountId: 'acct-1', recommendationId: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01', n: 2, why: 'cleared' },
  ],
})

const decided = { cloudAccountId: account, recommendationId: text({ minLength: 1, maxLength: 64 }) }

/** Command: a person decides. Replies the record's changeable part: `{ status }`. */
export const recommendationDecided = subject({
  ...actor,
  name: 'recommendation.decided',
  summary: 'Apply, dismiss or reopen a recommendation.',
  once: true,
  schema: t.Object({
    ...decided,
    status: t.Enum(['applied', 'dismissed', 'open']),
    userId: text({ maxLength: 256 }),
    /** Of what was applied before it was said: since when. */
    appliedAt: t.Optional(moment),
    /** Of a dismissal: until when. */
    snoozeUntil: t.Optional(moment),
    note: t.Optional(text({ maxLength: 1000 })),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      recommendationId: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01',
      status: 'dismissed',
      userId: 'u-1',
      snoozeUntil: '2026-03-01T00:00:00.000Z',
    },
  ],
})

/** Command: a person has opened it. Once a person it is noted. */
export const recommendationViewed = subject({
  ...actor,
  name: 'recommendation.viewed',
  summary: 'A person opened a recommendation.',
  schema: t.Object({ ...decided, userId: text({ minLength: 1, maxLength: 256 }) }),
  examples: [{ cloudAccountId: 'acct-1', recommendationId: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01', userId: 'u-1' }],
})

/** Reminder: the time a dismissal was for is over. */
export const recommendationWoken = subject({
  ...actor,
  name: 'recommendation.woken',
  summary: 'A dismissed recommendation is due again.',
  schema: t.Object(decided),
  examples: [{ cloudAccountId: 'acct-1', recommendationId: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01' }],
})

/** From a recommendation to the audit of its resource: what people decided counts among the findings that exclude each other. */
export const recommendationSettled = subject({
  ...actor,
  name: 'recommendation.settled',
  summary: 'A recommendation was dismissed, applied or reopened.',
  schema: t.Object({
    cloudAccountId: account,
    resourceUid: ResourceUid,
    ruleId: text(),
    status: t.Enum(recommendationStatuses),
    n: t.Integer({ minimum: 1 }),
  }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1', ruleId: 'RC-1001', status: 'dismissed', n: 1 }],
})

/** A policy by which findings are judged has changed: a sweep follows soon, one for several changes. */
export const sweepWanted = subject({
  kind: 'actor',
  place: () => orgWide,
  name: 'sweep.wanted',
  summary: 'Evaluate all resources of the organization again soon.',
  schema: t.Object({ why: text({ maxLength: 200 }) }),
  examples: [{ why: 'policy' }],
})

/** Reminder: several changes have been waited for. */
export const sweepDue = subject({
  kind: 'actor',
  place: () => orgWide,
  name: 'sweep.due',
  summary: 'A sweep requested by changes starts.',
  schema: t.Object({}),
  examples: [{}],
})

export const recommendationMessages = [
  factsGathered,
  envSettled,
  sweepEnded,
  findingRaised,
  findingEnded,
  recommendationDecided,
  recommendationViewed,
  recommendationWoken,
  recommendationSettled,
  sweepWanted,
  sweepDue,
]
